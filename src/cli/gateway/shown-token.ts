// Decides whether `serve --http` and `wrap --http` print the generated token, or only name its file.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../setup/environment.ts'
import { oneLine, shortPath } from '../output/text.ts'

export interface ShownToken {
  /** Null if there is none, or if it must not be printed. */
  readonly token: string | null
  /** The file with a token that is not printed. */
  readonly tokenFile?: string
}

/** Output that is not a terminal is usually kept in a log, and a token must not be in a log. */
export function shownToken(
  token: string | undefined,
  isTerminal: boolean,
  { stateDir }: Pick<Environment, 'stateDir'>,
): ShownToken {
  if (token === undefined) return { token: null }
  if (isTerminal) return { token }
  const file = join(stateDir, 'token')
  // A token that could not be stored is valid for this run only, and no file has it.
  return { token: null, ...(existsSync(file) ? { tokenFile: file } : {}) }
}

/** The line about a token that is not printed. */
export function tokenLines({ tokenFile }: ShownToken, home: string): readonly string[] {
  if (tokenFile === undefined) return []
  return [`The token is in ${oneLine(shortPath(tokenFile, home))}; it is printed only on a terminal`]
}
