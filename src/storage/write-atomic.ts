// A file that is either the old one or the new one, whoever reads it and whenever this process ends.

import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { errorCode } from './problem.ts'

/** What ends so is unfinished, or was about to be removed: of no meaning to anyone but who made it. */
export const TEMPORARY = '.tmp'

/** Readable by this user alone. Makes the directory where there is none. */
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
  // In the same directory: a rename is atomic only within one file system.
  const temporary = `${path}.${randomUUID()}${TEMPORARY}`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      // Or a power cut could leave the new name on an empty file.
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}) // the first error says more
    throw error
  }
}
