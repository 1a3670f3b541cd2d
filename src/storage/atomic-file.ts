// Replaces and removes files that other processes read or replace at the same time.

import { randomUUID } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../core/text.ts'
import { makeFolder } from './make-folder.ts'

/** The suffix of files that are unfinished or about to be removed. Only the process that created one uses it. */
export const TEMPORARY = '.tmp'

/** Creates or replaces the file in one step. Only this user can read it. Creates the directory if it is missing. */
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
      // Without `sync`, the file could be empty under its new name after a power failure.
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

/**
 * Removes the file if it is stale. A file system cannot delete one specific version of a file. So the file is renamed
 * first, checked again, and put back if it is not stale. Resolves to whether the file was removed, and never rejects.
 */
export async function removeIf(path: string, isStale: (path: string) => Promise<boolean>): Promise<boolean> {
  const aside = `${path}.${randomUUID()}${TEMPORARY}`
  try {
    await rename(path, aside)
  } catch {
    return false
  }
  const stale = await isStale(aside).catch(() => true)
  if (!stale) await putBack(aside, path)
  await rm(aside, { force: true }).catch(() => {}) // the next sweep removes the file if this fails
  return stale
}

async function putBack(aside: string, path: string): Promise<void> {
  try {
    // Unlike `rename`, `link` fails if another process has created an even newer version.
    await link(aside, path)
  } catch (error) {
    // On a file system without hard links, this may replace a newer version: an older version is better than none.
    if (errorCode(error) !== 'EEXIST') await rename(aside, path).catch(() => {})
  }
}
