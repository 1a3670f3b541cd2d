// Who may use the gateway over HTTP: those whom the configuration names, as it is now, or else whoever has our own token.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { LoadedConfig } from '../../config/load.ts'
import { type ConfigProblem, problemAt } from '../../config/problem.ts'
import { resolveText } from '../../config/references.ts'
import { raise } from '../../core/errors.ts'
import { messageOf } from '../../core/text.ts'
import { type AuthOptions, createAuthenticate, isToken, TOKEN_RULE } from '../../front/auth.ts'
import { readOrMakeToken } from '../../storage/token-file.ts'
import type { Environment } from '../environment.ts'

export interface Doorkeeper {
  readonly auth: AuthOptions
  /** By principal. */
  readonly tokens: Readonly<Record<string, string>>
  /** From now on those of this configuration, and nobody else. Gives those whose token is no longer good. */
  follow(loaded: LoadedConfig): Promise<readonly string[]>
}

export async function createDoorkeeper(
  { stateDir }: Environment,
  loaded: LoadedConfig,
  onProblem: (message: string) => void,
): Promise<Doorkeeper> {
  const tokensOf = async (next: LoadedConfig) => {
    const { tokens: named, problems } = namedTokens(next)
    const given = next.origin.kind === 'explicit' ? next.origin.file : undefined
    for (const { file, path, message } of problems) {
      raise('CONFIG_INVALID', { file, reason: `${path}: ${message}`, given })
    }
    return Object.keys(named).length > 0 ? named : { user: await ownToken(join(stateDir, 'token'), onProblem) }
  }
  let tokens: Readonly<Record<string, string>> = await tokensOf(loaded)
  let authenticate = createAuthenticate({ tokens })
  return {
    auth: { verify: (token) => authenticate(`Bearer ${token}`) },
    get tokens() {
      return tokens
    },
    async follow(next) {
      const before = tokens
      tokens = await tokensOf(next)
      authenticate = createAuthenticate({ tokens })
      return Object.keys(before).filter((principal) => tokens[principal] !== before[principal])
    },
  }
}

/** The tokens that a configuration names, and what is wrong with those that cannot be used. */
export function namedTokens({ config, origin, variables }: LoadedConfig): {
  readonly tokens: Readonly<Record<string, string>>
  readonly problems: readonly ConfigProblem[]
} {
  const tokens: Record<string, string> = {}
  const problems: ConfigProblem[] = []
  for (const [principal, text] of Object.entries(config.http.tokens)) {
    const resolved = resolveText(text, variables)
    if (resolved.ok && isToken(resolved.text)) {
      tokens[principal] = resolved.text
      continue
    }
    const message = resolved.ok ? TOKEN_RULE : `refers to ${resolved.missing.join(', ')}, which is not set`
    const place = { file: origin.kind === 'defaults' ? '' : origin.file, path: ['http', 'tokens', principal] }
    problems.push(problemAt(place, { expected: 'a token', found: 'none that can be used', message }))
  }
  return { tokens, problems }
}

/** Where no file can be kept, a token for this run: it is printed with the address. */
async function ownToken(file: string, onProblem: (message: string) => void): Promise<string> {
  try {
    return await readOrMakeToken(file)
  } catch (error) {
    onProblem(`the token cannot be kept, so the next start makes another: ${messageOf(error)}`)
    return randomBytes(24).toString('base64url')
  }
}
