// Finds the file of a command on Windows, with PATH and PATHEXT of the server's own environment.

import { stat } from 'node:fs/promises'
import { win32 } from 'node:path'
import { readVariable } from '../../../core/variables.ts'

interface FindProgramOptions {
  /** The whole environment of the server. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that the server starts in. */
  readonly cwd: string
  /** For tests. */
  readonly isFile?: IsFile
}

type IsFile = (path: string) => Promise<boolean>

/** The extensions that Windows starts as a process. For other extensions in PATHEXT it opens another program. */
const STARTABLE = ['.com', '.exe', '.bat', '.cmd']

/**
 * The path of the file to start, or undefined. Unlike cmd.exe it never looks for a bare name in the current folder,
 * because a folder must not decide what `npx` is.
 */
export async function findProgram(command: string, options: FindProgramOptions): Promise<string | undefined> {
  const { env, cwd, isFile = isRealFile } = options
  for (const folder of foldersOf(command, env)) {
    for (const name of namesOf(command, env)) {
      const file = win32.resolve(cwd, folder, name)
      if (await isFile(file)) return file
    }
  }
  return undefined
}

export function isBatchFile(file: string): boolean {
  return /\.(?:bat|cmd)$/i.test(file)
}

/** False for a script such as `server.js`: Windows can start it only through the program for its extension. */
export function isStartable(file: string): boolean {
  return STARTABLE.includes(win32.extname(file).toLowerCase())
}

function foldersOf(command: string, env: FindProgramOptions['env']): readonly string[] {
  if (/[\\/]|^[a-z]:/i.test(command)) return ['']
  const path = readVariable(env, 'PATH', 'win32') ?? ''
  // A quoted entry may contain a semicolon.
  return Array.from(path.matchAll(/(?:"[^"]*"|[^;"])+/g), ([entry]) => entry.replaceAll('"', '').trim()).filter(Boolean)
}

/** A name without an extension never matches unchanged: next to `npx.cmd` there is `npx`, a script for POSIX shells. */
function namesOf(command: string, env: FindProgramOptions['env']): readonly string[] {
  const listed = (readVariable(env, 'PATHEXT', 'win32') ?? '').split(';').map((one) => one.trim().toLowerCase())
  const endings = [...new Set([...listed, '.com', '.exe'])].filter((one) => STARTABLE.includes(one))
  const all = listed.some((one) => STARTABLE.includes(one)) ? endings : STARTABLE
  const withEndings = all.map((ending) => `${command}${ending}`)
  return win32.extname(command) === '' ? withEndings : [command, ...withEndings]
}

export async function isRealFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
