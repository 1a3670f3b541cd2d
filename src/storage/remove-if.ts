// Removes a file that was judged stale, unless another process has replaced it since it was judged.

import { randomUUID } from 'node:crypto'
import { link, rename, rm } from 'node:fs/promises'
import { errorCode } from './problem.ts'
import { TEMPORARY } from './write-atomic.ts'

/**
 * There is no "delete this version" in a file system, so the file is taken aside first, looked at again, and put back
 * if it is a newer one. Resolves to whether it is gone; never rejects.
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
  await rm(aside, { force: true }).catch(() => {}) // a sweep finds what stays behind
  return stale
}

async function putBack(aside: string, path: string): Promise<void> {
  try {
    // Unlike rename, fails where yet another version has come meanwhile.
    await link(aside, path)
  } catch (error) {
    // No links on this file system: then better the last but one than none.
    if (errorCode(error) !== 'EEXIST') await rename(aside, path).catch(() => {})
  }
}
