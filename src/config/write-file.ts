// Replaces a file that people or other programs own: whole or not at all, with a copy of what was there beside it.

import { chmod, lstat, readFile, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { raise, ToolcribError } from '../core/errors.ts'
import { errorCode, reasonOf } from '../storage/problem.ts'
import { writeAtomic } from '../storage/write-atomic.ts'

/** What stands between the name of a file and the time at which it was copied. */
export const BACKUP = '.toolcrib-backup-'
const MAKE_WRITABLE = 'Make the file and its folder writable, or make the change by hand: --dry-run shows it.'
/** As many as systems follow. */
const MAX_LINKS = 40

export interface Replacement {
  /** The text that the new one was made from; empty where there was no file. */
  readonly before: string
  readonly after: string
}

export async function readIfThere(file: string): Promise<string | undefined> {
  const bytes = await bytesIfThere(file)
  return bytes === undefined ? undefined : textOf(file, bytes)
}

/** Raises where somebody else wrote to the file since it was read, or made it read-only: that is not ours to undo. */
export async function checkReplaceable(file: string, before: string): Promise<void> {
  checkSame(file, await bytesIfThere(file), before)
  checkMode(file, await modeOf(file))
}

/** Gives the path of the copy; undefined where there was no file. */
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
    await writeFile(backup, bytes, { mode, flag: 'wx' })
    await chmod(backup, mode)
    try {
      await writeAtomic(target, after)
    } catch (error) {
      // A copy of what is still there tells those who look for copies something that is not so.
      await rm(backup, { force: true })
      throw error
    }
    await chmod(target, mode)
    return backup
  } catch (error) {
    return unwritable(file, error)
  }
}

/** A link stays a link: the file it leads to is the one to change, also where that is not there yet. */
async function targetOf(file: string): Promise<string> {
  let path = file
  for (let count = 0; count < MAX_LINKS; count++) {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isSymbolicLink() !== true) return path
    // What a link says counts from where it really is.
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
    return unwritable(file, error)
  }
}

/** To the byte: what is not UTF-8 could only be written back as something else. */
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

/** A file in a folder that can be written could be replaced all the same; somebody has said that it should not be. */
function checkMode(file: string, mode: number | undefined): void {
  if (mode === undefined || (mode & 0o222) !== 0) return
  raise('CONFIG_UNWRITABLE', { file, reason: 'it is read-only', todo: MAKE_WRITABLE })
}

function checkSame(file: string, bytes: Buffer | undefined, before: string): void {
  if ((bytes ?? Buffer.alloc(0)).equals(Buffer.from(before))) return
  const todo = 'Run it again: it starts from what is there now.'
  raise('CONFIG_UNWRITABLE', { file, reason: 'somebody else changed it meanwhile', todo })
}

function unwritable(file: string, error: unknown): never {
  if (error instanceof ToolcribError) throw error
  const isNoFile = ['EISDIR', 'ELOOP'].includes(errorCode(error) ?? '')
  const todo = isNoFile ? 'Take it away, or put a file in its place.' : MAKE_WRITABLE
  return raise('CONFIG_UNWRITABLE', { file, reason: reasonOf(error), todo })
}

/** Sorts by time, and is a file name everywhere. */
function stampOf(now: Date): string {
  return now.toISOString().replace(/[-:]/g, '').replace('.', '')
}
