// Finds the servers that the gateway replaced in a client's file, from the backups that `install` made.

import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ImportContext } from '../config/imports/importer.ts'
import { pathText } from '../config/problem.ts'
import type { ClientFileToChange } from './client-file.ts'
import {
  type ClientDocument,
  isSamePath,
  type KeptEntry,
  OWN_NAME,
  openClient,
  ownEntries,
} from './files/write-client.ts'
import { BACKUP, readIfThere } from './files/write-file.ts'
import type { IsOurs } from './own-entry.ts'

interface Backups {
  /** The newest first, back to the one from before the installation. */
  readonly documents: readonly ClientDocument[]
  /** Whether the last document is from before the installation. If not, `documents` has all backups. */
  readonly hasOriginal: boolean
}

/** `folders` are those in which the gateway was installed. Claude Code keeps servers per folder in one file. */
interface BackupContext extends ImportContext {
  readonly folders?: readonly string[]
}

export async function backupsOf({ writer, file }: ClientFileToChange, context: BackupContext): Promise<Backups> {
  const prefix = `${basename(file)}${BACKUP}`
  const names = (await readdir(dirname(file)).catch(() => [])).filter((name) => name.startsWith(prefix))
  const documents: ClientDocument[] = []
  for (const name of names.toSorted().toReversed()) {
    const copy = join(dirname(file), name)
    // Reading a named pipe would never end.
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

/** The enabled servers in the newest backup that has them, without those that are in the file again. */
export async function replacedEntries(
  { importer, document, file }: ClientFileToChange,
  { documents, hasOriginal }: Backups,
  context: BackupContext,
  isOurs: IsOurs,
): Promise<readonly KeptEntry[]> {
  const replaced: KeptEntry[] = []
  // Our own entry will be removed, so it does not count as present.
  const others = document.entries.filter(({ name }) => name !== OWN_NAME)
  for (const from of documents) {
    const folders = [context.cwd, ...(context.folders ?? [])]
    const parsed = await Promise.all(folders.map((cwd) => importer.parse(from.text, file, { ...context, cwd })))
    const servers = parsed.flatMap((one) => one.servers)
    const paths = new Set(servers.filter(({ enabled }) => enabled).map(({ origin }) => origin.path))
    for (const entry of from.entries) {
      // `install` keeps disabled servers in the file. If one is missing now, the user has removed it.
      const isReplaced = entry.name === OWN_NAME ? !hasOriginal && !isOurs(entry) : paths.has(pathText(entry.path))
      const isThere = [...others, ...replaced].some((other) => isSamePath(entry, other))
      if (isReplaced && !isThere) replaced.push({ ...entry, from })
    }
  }
  return replaced
}
