// The token of this machine's gateway: made once, readable by its user alone, shared by every start.

import { randomBytes } from 'node:crypto'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { errorCode } from './problem.ts'

/** The token in the file; makes both where there is none. Two that start at once end with the same token. */
export async function readOrMakeToken(file: string): Promise<string> {
  await makeFolder(dirname(file))
  try {
    await writeFile(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    // Somebody may have loosened it since.
    await chmod(file, 0o600)
  }
  const token = (await readFile(file, 'utf8')).trim()
  if (token.length < 16) throw new Error(`${file} holds no token; delete it, and the next start makes another.`)
  return token
}
