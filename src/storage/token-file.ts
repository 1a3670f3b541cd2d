// The token of the gateway on this machine. It is created once, readable by this user only, and kept for later starts.

import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode } from '../core/text.ts'
import { writeAtomic } from './atomic-file.ts'
import { makeFolder } from './make-folder.ts'

/** At least 16 of the characters that a bearer token may have. A damaged file can contain other text. */
const TOKEN = /^[\w.~+/=-]{16,}$/
/** Another process may have created the file and not written its token yet, so an empty file is read several times. */
const READ_TRIES = 20
const READ_WAIT_MS = 10

/**
 * Creates the file if it is missing. Two processes that start at the same time get the same token. If the file contains
 * no token, replaces it and calls `onProblem`.
 */
export async function readOrMakeToken(file: string, onProblem?: (reason: string) => void): Promise<string> {
  await makeFolder(dirname(file))
  try {
    await writeFile(file, makeToken(), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    // The permissions may have changed since. They are set only if they are wrong, because the disk may be read-only.
    const { mode } = await stat(file)
    if ((mode & 0o777) !== 0o600) await chmod(file, 0o600)
  }
  const found = await readToken(file)
  if (found !== undefined) return found
  await writeAtomic(file, makeToken())
  onProblem?.(`${file} contained no token and has a new one now; clients with the old token must be changed`)
  const replaced = await readToken(file)
  if (replaced === undefined) throw new Error(`${file} contains no token`)
  return replaced
}

function makeToken(): string {
  return `${randomBytes(24).toString('base64url')}\n`
}

/** Undefined if the file contains no token. */
async function readToken(file: string): Promise<string | undefined> {
  let text = ''
  for (let tries = 0; tries < READ_TRIES && text === ''; tries++) {
    if (tries > 0) await pause(READ_WAIT_MS)
    text = (await readFile(file, 'utf8')).trim()
  }
  return TOKEN.test(text) ? text : undefined
}
