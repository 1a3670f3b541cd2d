// The token of the gateway on this machine. It is created once, readable by this user only, and shared by every start.

import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { errorCode } from './problem.ts'

/** The characters that a bearer token may have. A damaged file could contain others. */
const TOKEN = /^[\w.~+/=-]{16,}$/

/**
 * Returns the token in the file, and creates the file if it is missing. Two processes that start at once get the same
 * token.
 */
export async function readOrMakeToken(file: string): Promise<string> {
  await makeFolder(dirname(file))
  try {
    await writeFile(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    // Somebody may have changed the permissions since. On a read-only disk, correct ones need no change.
    const { mode } = await stat(file)
    if ((mode & 0o777) !== 0o600) await chmod(file, 0o600)
  }
  const token = (await readFile(file, 'utf8')).trim()
  if (!TOKEN.test(token)) throw new Error(`${file} contains no token. Delete it; the next start creates a new one.`)
  return token
}
