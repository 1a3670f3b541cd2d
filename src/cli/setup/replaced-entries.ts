// Which servers the gateway took the place of in a client's file: what the copies say that were made when it did.

import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ImportContext } from '../../config/imports/importer.ts'
import { pathText } from '../../config/problem.ts'
import {
  type ClientDocument,
  isSamePlace,
  type KeptEntry,
  OWN_NAME,
  openClient,
  ownEntries,
} from '../../config/write-client.ts'
import { BACKUP, readIfThere } from '../../config/write-file.ts'
import type { ClientFileToChange } from './client-file.ts'

/** The newest first, back to the one from before the gateway came; none where there is no such one. */
export async function backupsOf(
  { writer, file }: ClientFileToChange,
  context: ImportContext,
): Promise<readonly ClientDocument[]> {
  const prefix = `${basename(file)}${BACKUP}`
  const names = (await readdir(dirname(file)).catch(() => [])).filter((name) => name.startsWith(prefix))
  const found: ClientDocument[] = []
  for (const name of names.toSorted().toReversed()) {
    const text = await readIfThere(join(dirname(file), name))
    const document = text === undefined ? undefined : await openClient(writer, text, file, context)
    if (document === undefined) continue
    found.push(document)
    if (ownEntries(document).length === 0) return found
  }
  return []
}

/** Those that were on, as the newest copy has them; one that stands there again is left as it is. */
export async function replacedEntries(
  { importer, document, file }: ClientFileToChange,
  backups: readonly ClientDocument[],
  context: ImportContext,
): Promise<readonly KeptEntry[]> {
  const back: KeptEntry[] = []
  for (const from of backups) {
    const { servers } = await importer.parse(from.text, file, context)
    const places = new Set(servers.filter(({ enabled }) => enabled).map(({ origin }) => origin.path))
    for (const entry of from.entries) {
      // What was off stayed in the file: where it is gone now, somebody took it away.
      const isReplaced = entry.name !== OWN_NAME && places.has(pathText(entry.path))
      const isThere = [...document.entries, ...back].some((other) => isSamePlace(entry, other))
      if (isReplaced && !isThere) back.push({ ...entry, from })
    }
  }
  return back
}
