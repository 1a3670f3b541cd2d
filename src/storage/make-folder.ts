// A folder of this user's own, with all that lead to it.

import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './problem.ts'

/** Step by step: Node's own way turns round forever where a folder that is there takes no others, as below /proc. */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (await isFolder(path)) return
    const parent = dirname(path)
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error
    if (await isFolder(parent)) throw new Error(`no folder can be made in ${parent}`, { cause: error })
    await makeFolder(parent, mode)
    await makeOne(path, mode)
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  await mkdir(path, { mode }).catch(async (error: unknown) => {
    // Somebody else was faster.
    if (!(await isFolder(path))) throw error
  })
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
