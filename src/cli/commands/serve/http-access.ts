// Access to the gateway over HTTP: the tokens in the configuration, or else one generated token.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { LoadedConfig } from '../../../config/load/load.ts'
import { type ConfigProblem, problemAt } from '../../../config/problem.ts'
import { resolveText } from '../../../config/references.ts'
import { raise } from '../../../core/errors.ts'
import { messageOf, quoteList } from '../../../core/text.ts'
import { type AuthOptions, createAuthenticate, isToken, TOKEN_RULE } from '../../../front/auth.ts'
import type { Environment } from '../../../setup/environment.ts'
import { readOrMakeToken } from '../../../storage/token-file.ts'

export interface HttpAccess {
  readonly auth: AuthOptions
  /** The tokens by principal. */
  readonly tokens: Readonly<Record<string, string>>
  /** Replaces the tokens by those of this configuration. Returns the principals with a token that is no longer valid. */
  update(loaded: LoadedConfig): Promise<readonly string[]>
}

export async function createHttpAccess(
  { stateDir }: Environment,
  loaded: LoadedConfig,
  onProblem: (message: string) => void,
): Promise<HttpAccess> {
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
    async update(next) {
      const before = tokens
      tokens = await tokensOf(next)
      authenticate = createAuthenticate({ tokens })
      return Object.keys(before).filter((principal) => tokens[principal] !== before[principal])
    },
  }
}

/** The tokens in a configuration, and the problems of those that cannot be used. */
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
    const message = resolved.ok
      ? TOKEN_RULE
      : `refers to ${quoteList(resolved.missing)}, which ${resolved.missing.length === 1 ? 'is' : 'are'} not set`
    const location = { file: origin.kind === 'defaults' ? '' : origin.file, path: ['http', 'tokens', principal] }
    problems.push(problemAt(location, { expected: 'a token', found: 'none that can be used', message }))
  }
  return { tokens, problems }
}

/** If the token file cannot be written, the token is valid for this run only; a terminal shows it with the address. */
async function ownToken(file: string, onProblem: (message: string) => void): Promise<string> {
  try {
    return await readOrMakeToken(file)
  } catch (error) {
    onProblem(
      `the token cannot be stored, and it is printed only on a terminal; set http.tokens in the configuration: ${messageOf(error)}`,
    )
    return randomBytes(24).toString('base64url')
  }
}
