// Replaces a file that people or other programs own: whole or not at all, with a copy of what was there beside it.

import { chmod, copyFile, readFile, realpath, stat } from 'node:fs/promises'
import { raise } from '../core/errors.ts'
import { errorCode, reasonOf } from '../storage/problem.ts'
import { writeAtomic } from '../storage/write-atomic.ts'

/** What stands between the name of a file and the time at which it was copied. */
export const BACKUP = '.toolcrib-backup-'

export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
    return unwritable(file, error)
  }
}

/** Gives the path of the copy; undefined where there was no file. */
export async function replaceFile(file: string, text: string, now = new Date()): Promise<string | undefined> {
  try {
    // A link stays a link: the file it leads to is the one to change.
    const target = await realpath(file).catch(() => file)
    const before = await stat(target).catch(() => undefined)
    if (before === undefined) {
      await writeAtomic(target, text)
      return undefined
    }
    const backup = `${file}${BACKUP}${stampOf(now)}`
    await copyFile(target, backup)
    await writeAtomic(target, text)
    await chmod(target, before.mode & 0o777)
    return backup
  } catch (error) {
    return unwritable(file, error)
  }
}

function unwritable(file: string, error: unknown): never {
  const todo = 'Make the file and its folder writable, or make the change by hand: --dry-run shows it.'
  return raise('CONFIG_UNWRITABLE', { file, reason: reasonOf(error), todo })
}

/** Sorts by time, and is a file name everywhere. */
function stampOf(now: Date): string {
  return now.toISOString().replace(/[-:]/g, '').replace('.', '')
}
