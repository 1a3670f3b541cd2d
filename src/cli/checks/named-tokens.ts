// Reads the tokens and the company login of a config, with their rights, and finds their problems.

import { type OAuthSetting, type TokenSetting, tokenIn } from '../../config/http-settings.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { type ConfigProblem, problemAt, type Severity } from '../../config/problem.ts'
import { resolveText } from '../../config/references.ts'
import { defined } from '../../core/defined.ts'
import type { Rights } from '../../core/rights.ts'
import { quoteList } from '../../core/text.ts'
import { OWN_PRINCIPAL, reservedName } from '../../crib/own-principal.ts'
import { isToken, TOKEN_RULE } from '../../front/auth.ts'
import { compilePattern } from '../../rules/pattern.ts'

export interface ConfigToken {
  readonly token: string
  /** Absent: all rights. */
  readonly rights?: Rights
  readonly expiresAt?: number
}

const EFFECT = 'A gateway over HTTP does not start with this config, and a running one does not apply it'
/** A running gateway reads secrets.env again, but its environment does not change. */
const HOW_TO_SET = 'Add it to secrets.env, or export it before the gateway starts'

/** The usable tokens in a configuration, and the problems of its tokens and of the scopes of its company login. */
export function namedTokens({ config, origin, variables }: LoadedConfig): {
  readonly tokens: Readonly<Record<string, ConfigToken>>
  readonly problems: readonly ConfigProblem[]
} {
  const tokens: [string, ConfigToken][] = []
  const problems: ConfigProblem[] = []
  const report = (path: readonly string[], expected: string, message: string, severity: Severity = 'error') => {
    const location = { file: origin.kind === 'defaults' ? '' : origin.file, path: ['http', ...path] }
    problems.push(problemAt(location, { expected, found: 'none that can be used', message, severity }))
  }
  for (const [principal, setting] of Object.entries(config.http.tokens)) {
    const resolved = resolveText(tokenIn(setting), variables)
    if (!resolved.ok) {
      for (const variable of resolved.missing) {
        const message = `Variable ${quoteList([variable])} is not set, so '${principal}' has no token. ${EFFECT}. ${HOW_TO_SET}`
        // A gateway without HTTP needs no token, so this is an error only for a gateway over HTTP.
        report(['tokens', principal], 'a variable that is set, or a default', message, 'warning')
      }
    } else if (!isToken(resolved.text)) {
      report(['tokens', principal], 'a token', TOKEN_RULE)
    } else if (principal !== OWN_PRINCIPAL && reservedName(principal) !== undefined) {
      report(['tokens', principal], 'another name', reservedName(principal) ?? '')
    } else {
      const token = { token: resolved.text, ...limitsOf(setting) }
      tokens.push([principal, token])
      const problem = patternProblemIn(token.rights)
      if (problem !== undefined) report(['tokens', principal, 'tools'], 'patterns', problem)
    }
  }
  for (const [scope, rights] of Object.entries(config.http.oauth?.scopes ?? {})) {
    const problem = patternProblemIn(rightsIn(rights))
    if (problem !== undefined) report(['oauth', 'scopes', scope, 'tools'], 'patterns', problem)
  }
  // `fromEntries`, because an assignment with a name such as `__proto__` would not create a key.
  return { tokens: Object.fromEntries(tokens), problems }
}

/** Returns the options for the token verifier of a company login. */
export function oauthIn({ issuer, audience, jwksUri, claim, principalClaim, scopes }: OAuthSetting) {
  const rights = Object.entries(scopes).map(([scope, setting]) => [scope, rightsIn(setting)] as const)
  return { issuer, audience, jwksUri, claim, principalClaim, scopes: Object.fromEntries(rights) }
}

function limitsOf(setting: TokenSetting): Omit<ConfigToken, 'token'> {
  if (typeof setting === 'string') return {}
  const { servers, tools, readOnly, expires } = setting
  const isLimited = servers !== undefined || tools !== undefined || readOnly === true
  return defined({
    rights: isLimited ? rightsIn(setting) : undefined,
    expiresAt: expires === undefined ? undefined : Date.parse(expires),
  })
}

function rightsIn({ servers, tools, readOnly }: OAuthSetting['scopes'][string]): Rights {
  return defined({ servers, tools, readOnly })
}

/** Returns the problem of the first invalid pattern. Undefined if all patterns are valid. */
export function patternProblemIn(rights: Rights | undefined): string | undefined {
  for (const text of rights?.tools ?? []) {
    const compiled = compilePattern(text)
    if (!compiled.ok) return compiled.problem.message
  }
  return undefined
}
