// What `toolcrib uninstall` does: the client's file as it was before the gateway came, or as near to it as can be.

import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { importers } from '../../config/imports/builtins.ts'
import { type ClientDocument, OWN_NAME, openClient, putInPlace, takeBack } from '../../config/write-client.ts'
import { BACKUP, readIfThere, replaceFile } from '../../config/write-file.ts'
import { extractSecrets } from '../../config/write-secrets.ts'
import { raise } from '../../core/errors.ts'
import { isRecord } from '../../core/schema.ts'
import { shortPath } from '../output/text.ts'
import type { Work } from '../work.ts'
import { type ClientFileToChange, openClientFile } from './client-file.ts'
import { confirm } from './confirm.ts'
import type { InstallFlags } from './flags.ts'
import { changeLines, writtenLines } from './plan-lines.ts'

const NOT_THERE = 0

export async function uninstallClient(work: Work, client: string, flags: InstallFlags): Promise<number> {
  const { output, environment } = work
  const { home } = environment
  const target = await openClientFile(work, client, flags, 'uninstall')
  const { writer, document, file, text } = target
  const base = { client, file }
  if (!Object.hasOwn(document.entries, OWN_NAME)) {
    output.show({ ...base, written: false, restores: [] }, () => [
      `The gateway is not in ${shortPath(file, home)}; nothing to do.`,
    ])
    return NOT_THERE
  }
  const original = await backupBefore(target)
  const after = (await exactly(target, original)) ?? (await takeBack(writer, document, original))
  if (after === undefined) {
    const todo = `Take the server '${OWN_NAME}' out of it by hand.`
    return raise('CONFIG_UNWRITABLE', { file, reason: 'it could not be edited without harm to the rest of it', todo })
  }
  const restores = Object.keys(original?.entries ?? {}).filter((name) => !Object.hasOwn(document.entries, name))
  const secrets = await secretsOf(work, client, [text, original?.text ?? ''], file)
  output.print(...changeLines({ file, before: text, after }, home, output, secrets))
  if (flags.dryRun === true) {
    output.show({ ...base, written: false, restores }, () => ['Nothing was changed (--dry-run).'])
    return 0
  }
  await confirm(work, flags, `Write ${shortPath(file, home)}?`, shortPath(file, home))
  const backup = await replaceFile(file, after)
  output.show({ ...base, written: true, restores, backup: backup ?? null }, () =>
    writtenLines({ file, backup, secretsFile: undefined, toExport: [] }, home, output),
  )
  return 0
}

/** The newest copy that was made before the gateway stood in the file. */
async function backupBefore({ writer, file }: ClientFileToChange): Promise<ClientDocument | undefined> {
  const prefix = `${basename(file)}${BACKUP}`
  const names = await readdir(dirname(file)).catch(() => [])
  for (const name of names
    .filter((one) => one.startsWith(prefix))
    .toSorted()
    .toReversed()) {
    const text = await readIfThere(join(dirname(file), name))
    const document = text === undefined ? undefined : await openClient(writer, text, file)
    if (document !== undefined && !Object.hasOwn(document.entries, OWN_NAME)) return document
  }
  return undefined
}

/** To the letter, where nothing else has changed since. */
async function exactly(target: ClientFileToChange, original: ClientDocument | undefined): Promise<string | undefined> {
  if (original === undefined) return undefined
  const { writer, document, text } = target
  const entry = document.entries[OWN_NAME]
  const removed = Object.keys(original.entries).filter((name) => !Object.hasOwn(document.entries, name))
  const launch = launchIn(entry)
  if (launch === undefined) return undefined
  return (await putInPlace(writer, original, removed, launch)) === text ? original.text : undefined
}

function launchIn(entry: unknown): { readonly command: string; readonly args: readonly string[] } | undefined {
  if (!isRecord(entry)) return undefined
  const words = [
    ...(Array.isArray(entry.command) ? entry.command : [entry.command]),
    ...(Array.isArray(entry.args) ? entry.args : []),
  ]
  const [command, ...args] = words.map(String)
  return command === undefined ? undefined : { command, args }
}

async function secretsOf(
  work: Work,
  client: string,
  texts: readonly string[],
  file: string,
): Promise<readonly string[]> {
  const importer = importers.get(client)
  const parsed = await Promise.all(texts.map((text) => importer?.parse(text, file, work.environment)))
  return parsed
    .flatMap((result) => result?.servers ?? [])
    .flatMap((server) => extractSecrets(server, new Map()).secrets.map(({ value }) => value))
}
