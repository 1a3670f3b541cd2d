// Plans how the file of a client gets its servers back: the exact earlier text, or the current text with the entries.

import { realFiles } from '../config/config-files.ts'
import type { ImportContext } from '../config/imports/importer.ts'
import { pathText } from '../config/problem.ts'
import { raise } from '../core/errors.ts'
import { type ClientFileToChange, openClientFile } from './client-file.ts'
import type { Environment } from './environment.ts'
import {
  type ClientDocument,
  isSamePath,
  type KeptEntry,
  OWN_NAME,
  openClient,
  ownEntries,
  replaceByGateway,
  restoreEntries,
} from './files/write-client.ts'
import { BACKUP, backupsBeside, readIfThere } from './files/write-file.ts'
import { extractSecrets } from './files/write-secrets.ts'
import { checkOwn, type IsOurs, launchIn, ownershipIn, readInstallations } from './installed.ts'

export interface RestorePlan {
  readonly client: string
  readonly file: string
  readonly before: string
  readonly after: string
  /** The names of the servers that are restored. */
  readonly restores: readonly string[]
  readonly hasBackup: boolean
  /** Whether `install` created the file. If so, the client had no servers before. */
  readonly isNewFile: boolean
  /** The configs that the gateway uses in this client. */
  readonly configs: readonly string[]
  /** The values that a diff of the file must mask. */
  readonly secrets: readonly string[]
}

/** Returns only the path of the file if the gateway is not in it. Raises if the file cannot be changed safely. */
export async function planRestore(
  environment: Environment,
  { client, project = false }: { readonly client: string; readonly project?: boolean },
): Promise<RestorePlan | { readonly file: string }> {
  const installations = await readInstallations(environment.stateDir)
  const foldersOf = (file: string) => installations.flatMap((one) => (one.file === file ? (one.cwd ?? []) : []))
  const target = await openClientFile({ environment }, client, { project }, 'uninstall', foldersOf)
  const { writer, document, file, text } = target
  if (ownEntries(document).length === 0) return { file }
  const context = { ...environment, folders: foldersOf(file) }
  const backups = await backupsOf(target, context)
  const ifOurs = `If this entry is the gateway, remove it by hand and restore the replaced servers from a backup beside the file (${BACKUP}…), if there is one.`
  const isOurs = await ownershipIn(file, environment.stateDir)
  checkOwn(target, (entry) => isOurs(entry) || backups.documents.length > 0, ifOurs)
  const restored = await replacedEntries(target, backups, context, isOurs)
  const after =
    (await originalText(target, backups.documents, restored, isOurs)) ??
    (await restoreEntries(writer, document, restored))
  if (after === undefined) {
    const todo = `Remove the server '${OWN_NAME}' from the file by hand, and restore the replaced servers from a backup beside the file (${BACKUP}…), if there is one.`
    const reason = 'Toolcrib cannot edit it without damaging the rest of the file'
    return raise('CONFIG_UNWRITABLE', { file, reason, todo })
  }
  return {
    client,
    file,
    before: text,
    after,
    restores: [...new Set(restored.map(({ name }) => name))],
    hasBackup: backups.documents.length > 0,
    isNewFile: installations.some((one) => one.file === file && one.isNewFile === true),
    configs: [...new Set(installations.flatMap((one) => (one.file === file ? (one.config ?? []) : [])))],
    secrets: await secretsOf(environment, target, backups.documents),
  }
}

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

/** Reads the backups that `install` made of this file. */
export async function backupsOf({ writer, file }: ClientFileToChange, context: BackupContext): Promise<Backups> {
  const documents: ClientDocument[] = []
  for (const copy of await backupsBeside(file)) {
    // Reading a named pipe would never end.
    const text = (await realFiles.isFile(copy)) ? await readIfThere(copy) : undefined
    const document = text === undefined ? undefined : await openClient(writer, text, file, context)
    if (document === undefined) continue
    documents.push(document)
    if (ownEntries(document).length === 0) return { documents, hasOriginal: true }
  }
  return { documents, hasOriginal: false }
}

/** Finds the enabled servers to restore, each in the newest backup that has it. Omits those that are in the file. */
async function replacedEntries(
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

/** The text from before the first installation, if every change since then was made by `install`. */
async function originalText(
  { writer, document }: ClientFileToChange,
  backups: readonly ClientDocument[],
  restored: readonly KeptEntry[],
  isOurs: IsOurs,
): Promise<string | undefined> {
  let now = document
  // Undoes the installations one by one, from the newest backup to the oldest.
  for (const before of backups) {
    const [own] = ownEntries(now)
    const launch = own === undefined ? undefined : launchIn(own)
    if (launch === undefined) return undefined
    const removed = before.entries.filter(
      (entry) => entry.name !== OWN_NAME && !now.entries.some((one) => isSamePath(one, entry)),
    )
    // `install` removes only servers that `uninstall` restores. If another one is missing, the user removed it.
    if (!removed.every((entry) => restored.some((one) => isSamePath(one, entry)))) return undefined
    if ((await replaceByGateway(writer, before, removed, launch)) !== now.text) return undefined
    now = before
  }
  return backups.length === 0 || ownEntries(now).some(isOurs) ? undefined : now.text
}

async function secretsOf(
  environment: Environment,
  { importer, file, text }: ClientFileToChange,
  backups: readonly ClientDocument[],
): Promise<readonly string[]> {
  const texts = [text, ...backups.map((backup) => backup.text)]
  const parsed = await Promise.all(texts.map((one) => importer.parse(one, file, environment)))
  return parsed
    .flatMap(({ servers }) => servers)
    .flatMap((server) => extractSecrets(server, new Map()).secrets.map(({ value }) => value))
}
