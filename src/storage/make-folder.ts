// Creates a folder and its missing parents. By default, only this user can read them.

import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../core/text.ts'

/** Creates one folder at a time: `mkdir` with `recursive` never returns below a folder such as /proc/sys. */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await makeOne(path, mode)
  } catch (error) {
    const parent = dirname(path)
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error
    await makeFolder(parent, mode)
    // The parent exists now. Another process may have made it, and this folder too.
    await makeOne(path, mode).catch((again: unknown) => {
      if (errorCode(again) !== 'ENOENT') throw again
      throw new Error(`a folder cannot be created in ${parent}`, { cause: again })
    })
  }
}

/** Does nothing if the folder exists. */
async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const found = await stat(path).catch(() => undefined)
    if (found?.isDirectory() !== true) throw error
  }
}
