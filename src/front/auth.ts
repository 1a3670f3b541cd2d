// Authentication of the HTTP front door: bearer tokens, each with the name of its principal.

import { createHash, timingSafeEqual } from 'node:crypto'
import { aFunction, anObject, type Check, findFieldFault } from '../core/check-fields.ts'
import { raise } from '../core/errors.ts'

/** The tokens that clients must send over HTTP. */
export interface AuthOptions {
  /** Tokens by principal: `{ alice: process.env.ALICE_TOKEN }`. An undefined or short token makes the start fail. */
  readonly tokens?: Readonly<Record<string, string | undefined>>
  /** For tokens that are stored elsewhere: returns the principal of a token, or undefined. */
  verify?(token: string): Promise<string | null | undefined> | string | null | undefined
}

/** Returns the principal of the Authorization header, or undefined if the header is not valid. */
type Authenticate = (header: string | null) => Promise<string | undefined>

export const ANONYMOUS = 'anonymous'
const MIN_TOKEN_LENGTH = 16
export const TOKEN_RULE = `a token has at least ${MIN_TOKEN_LENGTH} characters, all of them printable ASCII without spaces`

const FIELDS = { tokens: anObject, verify: aFunction } satisfies Record<keyof AuthOptions, Check>

/** A misspelled field would lock out every client. */
export function checkAuth(auth: AuthOptions): void {
  const fault = findFieldFault(auth, FIELDS)
  if (fault === undefined) return
  const { field, reason, todo } = fault
  raise('INVALID_OPTIONS', { what: field === undefined ? 'auth' : `auth.${field}`, reason, todo })
}

export function createAuthenticate(auth: AuthOptions | undefined): Authenticate {
  if (auth === undefined) return async () => ANONYMOUS
  const known = Object.entries(auth.tokens ?? {}).map(([principal, token]) => {
    if (!isToken(token)) {
      raise('INVALID_OPTIONS', {
        what: `auth.tokens.${principal}`,
        reason: TOKEN_RULE,
        todo: 'Make one with: node -e "console.log(crypto.randomUUID())"',
      })
    }
    return { principal, digest: digest(token) }
  })
  return async (header) => {
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
    if (token === undefined) return undefined
    // Digests have equal length and all of them are compared, so the time does not reveal which one matched.
    const given = digest(token)
    const match = known.filter((one) => timingSafeEqual(one.digest, given))[0]
    const principal: unknown = match?.principal ?? (await auth.verify?.(token))
    // `verify` is foreign code: `token === known && 'carol'` returns false for an unknown token.
    return typeof principal === 'string' && principal !== '' ? principal : undefined
  }
}

export function isToken(token: unknown): token is string {
  return typeof token === 'string' && token.length >= MIN_TOKEN_LENGTH && /^[!-~]+$/.test(token)
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
