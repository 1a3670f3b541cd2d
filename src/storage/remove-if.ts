// Removes a stale file, unless another process has replaced it since the check.

import { randomUUID } from 'node:crypto'
import { link, rename, rm } from 'node:fs/promises'
import { errorCode } from '../core/error-code.ts'
import { TEMPORARY } from './write-atomic.ts'

/**
 * A file system cannot delete one specific version of a file. So the file is renamed first, checked again, and put back
 * if it is not stale. Resolves to whether the file was removed, and never rejects.
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
    // `link` fails on a file system without hard links. There the file is renamed back, which may replace a newer
    // version: an older version is better than none.
    if (errorCode(error) !== 'EEXIST') await rename(aside, path).catch(() => {})
  }
}
