// Runs `toolcrib uninstall`: restores the client's file from before the installation, and keeps later edits.

import { raise } from '../../../core/errors.ts'
import { type ClientFileToChange, openClientFile } from '../../../setup/client-file.ts'
import {
  type ClientDocument,
  type KeptEntry,
  OWN_NAME,
  ownEntries,
  replaceByGateway,
  restoreEntries,
} from '../../../setup/files/write-client.ts'
import { BACKUP, replaceFile } from '../../../setup/files/write-file.ts'
import { extractSecrets } from '../../../setup/files/write-secrets.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { checkOwn, type IsOurs, launchIn, ownershipIn } from '../../../setup/own-entry.ts'
import { backupsOf, replacedEntries } from '../../../setup/replaced-entries.ts'
import { confirm, DECLINED } from '../../output/confirm.ts'
import { changeLines, writtenLines } from '../../output/plan-lines.ts'
import type { InstallFlags } from '../../output/setup-flags.ts'
import { count, oneLine, shortPath, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

export async function uninstallClient(work: Work, client: string, flags: InstallFlags): Promise<number> {
  const { output, environment } = work
  const { home } = environment
  const target = await openClientFile(work, client, flags, 'uninstall')
  const { writer, document, file, text } = target
  const base = { client, file }
  if (ownEntries(document).length === 0) {
    output.show({ ...base, written: false, restores: [] }, () => [
      `Nothing to do: the gateway is not in ${shortPath(file, home)}.`,
    ])
    return 0
  }
  const backups = await backupsOf(target, environment)
  const todo = `If it is, remove it from the file by hand, and restore the servers that it replaced from a backup beside the file (${BACKUP}…), if there is one.`
  const isOurs = await ownershipIn(file, environment.stateDir)
  checkOwn(target, (entry) => isOurs(entry) || backups.documents.length > 0, todo)
  const back = await replacedEntries(target, backups, environment, isOurs)
  const after =
    (await originalText(target, backups.documents, back, isOurs)) ?? (await restoreEntries(writer, document, back))
  if (after === undefined) {
    const todo = `Remove the server '${OWN_NAME}' from the file by hand.`
    return raise('CONFIG_UNWRITABLE', {
      file,
      reason: 'Toolcrib cannot edit it without damaging the rest of the file',
      todo,
    })
  }
  const restores = [...new Set(back.map(({ name }) => name))]
  const secrets = await secretsOf(work, target, backups.documents)
  const hasBackup = backups.documents.length > 0
  output.print(
    ...(await changeLines({ file, before: text, after }, home, output, secrets)),
    ...(hasBackup ? [] : wrap(await noBackupText(work, file), output.width)),
  )
  if (flags.dryRun === true) {
    output.show({ ...base, written: false, restores }, () => ['Nothing was changed (--dry-run).'])
    return 0
  }
  if (!(await confirm(work, flags, [file]))) return DECLINED
  const backup = await replaceFile(file, { before: text, after })
  output.show({ ...base, written: true, restores, backup: backup ?? null }, () => [
    ...writtenLines({ file, backup, secretsFile: undefined, toExport: [] }, home, output),
    '',
    ...wrap(`${endLine(client, restores.length, hasBackup)} Restart the client.`, output.width),
  ])
  return 0
}

/** Only a backup shows which servers the client had: our config does not store where a server came from. */
async function noBackupText({ environment, flags, signal }: Work, file: string): Promise<string> {
  // The gateway is removed even if its config cannot be read.
  const loaded = await loadFor(environment, flags, signal).catch(() => undefined)
  const own = (loaded?.servers ?? [])
    .filter(({ origin }) => origin.source === 'config' || origin.source === 'project')
    .map(({ name }) => oneLine(name))
  const found = `No server is restored: there is no backup of ${shortPath(file, environment.home)} from before the gateway was installed (${BACKUP}…).`
  if (own.length === 0) return found
  return `${found} The gateway's config contains ${own.join(', ')}. \`toolcrib config show --verbose\` prints how each is started; add those that the client had to its file by hand.`
}

function endLine(client: string, restored: number, hasBackup: boolean): string {
  if (!hasBackup) return `The gateway is removed from ${client}.`
  if (restored === 0) return `The gateway is removed from ${client}; it had replaced no server.`
  return `${client} has its ${count(restored, 'server')} back, and the gateway is removed.`
}

/** The exact original text, if nothing else has changed since the installation. */
async function originalText(
  { writer, document, text }: ClientFileToChange,
  [original, ...others]: readonly ClientDocument[],
  back: readonly KeptEntry[],
  isOurs: IsOurs,
): Promise<string | undefined> {
  const [own] = ownEntries(document)
  const launch = own === undefined ? undefined : launchIn(own)
  if (original === undefined || others.length > 0 || launch === undefined) return undefined
  if (ownEntries(original).some(isOurs)) return undefined
  const isSame = (await replaceByGateway(writer, original, back, launch)) === text
  return isSame ? original.text : undefined
}

async function secretsOf(
  { environment }: Work,
  { importer, file, text }: ClientFileToChange,
  backups: readonly ClientDocument[],
): Promise<readonly string[]> {
  const texts = [text, ...backups.map((backup) => backup.text)]
  const parsed = await Promise.all(texts.map((one) => importer.parse(one, file, environment)))
  return parsed
    .flatMap(({ servers }) => servers)
    .flatMap((server) => extractSecrets(server, new Map()).secrets.map(({ value }) => value))
}
