// Which servers the gateway took the place of in a client's file: what the copies say that were made when it did.

import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ImportContext } from '../../config/imports/importer.ts'
import { pathText } from '../../config/problem.ts'
import {
  type ClientDocument,
  isSamePath,
  type KeptEntry,
  OWN_NAME,
  openClient,
  ownEntries,
} from '../../config/write-client.ts'
import { BACKUP, readIfThere } from '../../config/write-file.ts'
import type { ClientFileToChange } from './client-file.ts'
import type { IsOurs } from './own-entry.ts'

export interface Backups {
  /** The newest first, back to the one from before the gateway came. */
  readonly documents: readonly ClientDocument[]
  /** The last of them is from before the gateway came; else nobody can tell, and all there are count. */
  readonly hasOriginal: boolean
}

export async function backupsOf({ writer, file }: ClientFileToChange, context: ImportContext): Promise<Backups> {
  const prefix = `${basename(file)}${BACKUP}`
  const names = (await readdir(dirname(file)).catch(() => [])).filter((name) => name.startsWith(prefix))
  const documents: ClientDocument[] = []
  for (const name of names.toSorted().toReversed()) {
    const copy = join(dirname(file), name)
    // A pipe of such a name would never be read to its end.
    const isCopy = await stat(copy).then(
      (found) => found.isFile(),
      () => false,
    )
    const text = isCopy ? await readIfThere(copy) : undefined
    const document = text === undefined ? undefined : await openClient(writer, text, file, context)
    if (document === undefined) continue
    documents.push(document)
    if (ownEntries(document).length === 0) return { documents, hasOriginal: true }
  }
  return { documents, hasOriginal: false }
}

/** Those that were on, as the newest copy has them; one that stands there again is left as it is. */
export async function replacedEntries(
  { importer, document, file }: ClientFileToChange,
  { documents, hasOriginal }: Backups,
  context: ImportContext,
  isOurs: IsOurs,
): Promise<readonly KeptEntry[]> {
  const back: KeptEntry[] = []
  // Ours makes room for what it was written over.
  const others = document.entries.filter(({ name }) => name !== OWN_NAME)
  for (const from of documents) {
    const { servers } = await importer.parse(from.text, file, context)
    const places = new Set(servers.filter(({ enabled }) => enabled).map(({ origin }) => origin.path))
    for (const entry of from.entries) {
      // What was off stayed in the file: where it is gone now, somebody took it away.
      const isReplaced = entry.name === OWN_NAME ? !hasOriginal && !isOurs(entry) : places.has(pathText(entry.path))
      const isThere = [...others, ...back].some((other) => isSamePath(entry, other))
      if (isReplaced && !isThere) back.push({ ...entry, from })
    }
  }
  return back
}
