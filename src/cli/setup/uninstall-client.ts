// What `toolcrib uninstall` does: the client's file as it was before the gateway came, with what was edited since.

import {
  type ClientDocument,
  type KeptEntry,
  OWN_NAME,
  ownEntries,
  replaceByGateway,
  restoreEntries,
} from '../../config/write-client.ts'
import { BACKUP, replaceFile } from '../../config/write-file.ts'
import { extractSecrets } from '../../config/write-secrets.ts'
import { raise } from '../../core/errors.ts'
import { loadFor } from '../load-config.ts'
import { count, oneLine, shortPath, wrap } from '../output/text.ts'
import type { Work } from '../work.ts'
import { type ClientFileToChange, openClientFile } from './client-file.ts'
import { confirm, DECLINED } from './confirm.ts'
import type { InstallFlags } from './flags.ts'
import { checkOwn, type IsOurs, launchIn, ownershipIn } from './own-entry.ts'
import { changeLines, writtenLines } from './plan-lines.ts'
import { backupsOf, replacedEntries } from './replaced-entries.ts'

export async function uninstallClient(work: Work, client: string, flags: InstallFlags): Promise<number> {
  const { output, environment } = work
  const { home } = environment
  const target = await openClientFile(work, client, flags, 'uninstall')
  const { writer, document, file, text } = target
  const base = { client, file }
  if (ownEntries(document).length === 0) {
    output.show({ ...base, written: false, restores: [] }, () => [
      `The gateway is not in ${shortPath(file, home)}; nothing to do.`,
    ])
    return 0
  }
  const backups = await backupsOf(target, environment)
  const todo = `If it is, take it out of the file by hand, and put back what it stood for from a copy beside it (${BACKUP}…), if there is one.`
  const isOurs = await ownershipIn(file, environment.stateDir)
  checkOwn(target, (entry) => isOurs(entry) || backups.documents.length > 0, todo)
  const back = await replacedEntries(target, backups, environment, isOurs)
  const after =
    (await exactly(target, backups.documents, back, isOurs)) ?? (await restoreEntries(writer, document, back))
  if (after === undefined) {
    const todo = `Take the server '${OWN_NAME}' out of it by hand.`
    return raise('CONFIG_UNWRITABLE', { file, reason: 'it could not be edited without harm to the rest of it', todo })
  }
  const restores = [...new Set(back.map(({ name }) => name))]
  const secrets = await secretsOf(work, target, backups.documents)
  const hasCopy = backups.documents.length > 0
  output.print(
    ...(await changeLines({ file, before: text, after }, home, output, secrets)),
    ...(hasCopy ? [] : wrap(await noCopyText(work, file), output.width)),
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
    ...wrap(`${endLine(client, restores.length, hasCopy)} Restart it.`, output.width),
  ])
  return 0
}

/** Whether it stood in place of servers, and of which, only a copy could tell: our config does not say whose they were. */
async function noCopyText({ environment, flags, signal }: Work, file: string): Promise<string> {
  // The gateway comes out also where its config cannot be read.
  const loaded = await loadFor(environment, flags, signal).catch(() => undefined)
  const own = (loaded?.servers ?? [])
    .filter(({ origin }) => origin.source === 'config' || origin.source === 'project')
    .map(({ name }) => oneLine(name))
  const found = `There is no copy of ${shortPath(file, environment.home)} from before the gateway came (${BACKUP}…), so no server is put back.`
  if (own.length === 0) return found
  return `${found} The gateway's config has ${own.join(', ')}: \`toolcrib config show --verbose\` prints how each is started, to add to the client by hand those that were there.`
}

function endLine(client: string, restored: number, hasCopy: boolean): string {
  if (!hasCopy) return `The gateway is out of ${client}.`
  if (restored === 0) return `The gateway is out of ${client}; it stood in place of no server.`
  return `${client} has ${count(restored, 'server')} back in place of the gateway.`
}

/** To the letter, where nothing else has changed since. */
async function exactly(
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
