// Replaces a file of the user or of another program atomically, and keeps a backup beside it.

import { chmod, lstat, readdir, readFile, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { raise, ToolcribError } from '../../core/errors.ts'
import { errorCode } from '../../core/text.ts'
import { writeAtomic } from '../../storage/atomic-file.ts'
import { LockHeld, withLock } from '../../storage/file-lock.ts'
import { reasonOf } from '../../storage/problem.ts'

/** The text between the name of a file and the time of its backup. */
export const BACKUP = '.toolcrib-backup-'
const BACKUP_MODE = 0o600
const MAKE_WRITABLE = 'Make the file and its folder writable, or make the change by hand: --dry-run shows it.'
const MAKE_READABLE = 'Make the file readable for this user, then run the command again.'
/** The number of symbolic links that Linux follows in a path. */
const MAX_LINKS = 40

/** The paths of the backups of this file, the newest first. */
export async function backupsBeside(file: string): Promise<readonly string[]> {
  const prefix = `${basename(file)}${BACKUP}`
  const names = (await readdir(dirname(file)).catch(() => [])).filter((name) => name.startsWith(prefix))
  return names
    .toSorted()
    .toReversed()
    .map((name) => join(dirname(file), name))
}

interface Replacement {
  /** The text that the new text was made from. Empty if the file did not exist. */
  readonly before: string
  readonly after: string
}

/** Undefined if the file does not exist. */
export async function readIfThere(file: string): Promise<string | undefined> {
  const bytes = await bytesIfThere(file)
  return bytes === undefined ? undefined : textOf(file, bytes)
}

/**
 * Raises an error if another program has changed the file since it was read, or if it is read-only. Such a file must
 * not be overwritten.
 */
export async function checkReplaceable(file: string, before: string): Promise<void> {
  checkSame(file, await bytesIfThere(file), before)
  checkMode(file, await modeOf(file))
}

/** Returns the path of the backup. Undefined if the file did not exist. */
export async function replaceFile(
  file: string,
  { before, after }: Replacement,
  now = new Date(),
): Promise<string | undefined> {
  try {
    const target = await targetOf(file)
    const mode = await modeOf(target)
    const bytes = await bytesIfThere(target)
    checkSame(file, bytes, before)
    checkMode(file, mode)
    if (bytes === undefined || mode === undefined) {
      await writeAtomic(target, after)
      return undefined
    }
    const backup = `${file}${BACKUP}${stampOf(now)}`
    try {
      // A backup stays for a long time and can contain secrets. Only this user can read it, even if the file is public.
      await writeFile(backup, bytes, { mode: BACKUP_MODE, flag: 'wx' })
      await chmod(backup, BACKUP_MODE)
      await writeAtomic(target, after)
    } catch (error) {
      // The backup is unfinished, or misleading because the file was not replaced. After EEXIST, it is an earlier one.
      if (errorCode(error) !== 'EEXIST') await rm(backup, { force: true })
      throw error
    }
    await chmod(target, mode)
    return backup
  } catch (error) {
    return unwritable(file, error)
  }
}

/** Another process holds the lock while it writes one or two files, which takes much less time. */
const MAX_WAIT_MS = 10_000

interface WriteLock {
  readonly path: string
  /** The file that `write` changes. */
  readonly file: string
  /** Names the data that the other process writes. The error shows it. */
  readonly what: string
}

/** Runs `write` while no other process holds the lock. */
export async function withWriteLock<T>(
  { path, file, what }: WriteLock,
  write: () => Promise<T>,
  options: { readonly signal?: AbortSignal } = {},
): Promise<T> {
  try {
    return await withLock(path, { waitMs: MAX_WAIT_MS, ...options }, write)
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error
    const todo = `Run the command again when the other one has ended. If no other toolcrib runs, remove ${path}.`
    return raise('CONFIG_UNWRITABLE', { file, reason: `another toolcrib is writing ${what}`, todo })
  }
}

/** Follows links: the target of a link is changed and the link stays, even if the target is missing. */
async function targetOf(file: string): Promise<string> {
  let path = file
  for (let count = 0; count < MAX_LINKS; count++) {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isSymbolicLink() !== true) return path
    // A relative link starts at the real folder of the link.
    const folder = await realpath(dirname(path))
    path = resolve(folder, await readlink(path))
  }
  return realpath(file)
}

async function bytesIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
    return unwritable(file, error, MAKE_READABLE)
  }
}

/** Decodes exactly: a file that is not UTF-8 could not be written back unchanged. */
function textOf(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const todo = 'Save it as UTF-8 first.'
    return raise('CONFIG_UNWRITABLE', { file, reason: 'it is not UTF-8, so it cannot be changed safely', todo })
  }
}

function modeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    (found) => found.mode & 0o777,
    () => undefined,
  )
}

/** A read-only file in a writable folder could be replaced, but its mode shows that the user does not want that. */
function checkMode(file: string, mode: number | undefined): void {
  if (mode === undefined || (mode & 0o222) !== 0) return
  raise('CONFIG_UNWRITABLE', { file, reason: 'it is read-only', todo: MAKE_WRITABLE })
}

function checkSame(file: string, bytes: Buffer | undefined, before: string): void {
  if ((bytes ?? Buffer.alloc(0)).equals(Buffer.from(before))) return
  const todo = 'Run the command again.'
  raise('CONFIG_UNWRITABLE', { file, reason: 'another program has changed it in the meantime', todo })
}

function unwritable(file: string, error: unknown, advice = MAKE_WRITABLE): never {
  if (error instanceof ToolcribError) throw error
  const isNotFile = ['EISDIR', 'ELOOP'].includes(errorCode(error) ?? '')
  const todo = isNotFile ? 'Remove it, or replace it with a file.' : advice
  return raise('CONFIG_UNWRITABLE', { file, reason: reasonOf(error), todo })
}

/** A text for file names: it sorts by time and is valid on every platform. */
function stampOf(now: Date): string {
  return now.toISOString().replace(/[-:]/g, '').replace('.', '')
}
