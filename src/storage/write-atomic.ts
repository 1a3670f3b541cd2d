// Writes a file so that every reader sees either the old or the new content, even if this process ends in between.

import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../core/error-code.ts'
import { makeFolder } from './make-folder.ts'

/**
 * The suffix of files that are unfinished or about to be removed. Only the process that created such a file uses it.
 */
export const TEMPORARY = '.tmp'

/** Only this user can read the file. Creates the directory if it is missing. */
export async function writeAtomic(path: string, text: string | Uint8Array): Promise<void> {
  try {
    await replace(path, text)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    await makeFolder(dirname(path))
    await replace(path, text)
  }
}

async function replace(path: string, text: string | Uint8Array): Promise<void> {
  // Uses the same directory, because a rename is atomic only within one file system.
  const temporary = `${path}.${randomUUID()}${TEMPORARY}`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      // Without this, a power failure could leave the new name on an empty file.
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}) // the first error is more useful
    throw error
  }
}
