// Authenticates requests of the HTTP front door by bearer tokens. Each token belongs to a principal.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Era } from '../core/call.ts'
import { aFunction, anObject, type Check, findFieldFault } from '../core/check-fields.ts'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { parseRights, type Rights } from '../core/rights.ts'
import { ANONYMOUS } from '../crib/own-principal.ts'

/** The tokens that clients must send over HTTP. */
export interface AuthOptions {
  /** Tokens by principal: `{ alice: process.env.ALICE_TOKEN }`. An undefined or short token makes the start fail. */
  readonly tokens?: Readonly<Record<string, string | undefined>>
  /** For tokens that are stored elsewhere: returns the principal or the identity of a token, or refuses it. */
  verify?(token: string): Promise<Verified> | Verified
}

/** The answer of `verify`: the name of the principal, its identity, or the refusal. Null and undefined refuse too. */
export type Verified = string | Identity | LoginRefusal | null | undefined

/** The owner of a token. */
export interface Identity {
  /** The name of the caller, for rights, limits and the audit log. */
  readonly principal: string
  /** The tools that exist for this principal. Absent: all of them. */
  readonly rights?: Rights
  /** When the token expires, in milliseconds since 1970. Open streams are closed then. */
  readonly expiresAt?: number
}

/** A refused login. */
export interface LoginRefusal {
  /** The reason, which decides the HTTP status. */
  readonly refused: 'no-token' | 'unknown-token' | 'expired' | 'insufficient-scope' | 'store-down' | 'keys-unavailable'
}

/** Returns the identity for an Authorization header, or the reason why the login is refused. */
type Authenticate = (header: string | null) => Promise<Identity | LoginRefusal>

const ANONYMOUS_IDENTITY: Identity = { principal: ANONYMOUS }
const UNKNOWN_TOKEN: LoginRefusal = { refused: 'unknown-token' }
const MIN_TOKEN_LENGTH = 16
export const TOKEN_RULE = `a token has at least ${MIN_TOKEN_LENGTH} characters, all of them printable ASCII without spaces`

const FIELDS = { tokens: anObject, verify: aFunction } satisfies Record<keyof AuthOptions, Check>

/** Raises an error for an invalid or unknown field: a misspelled one would lock out every client. */
export function checkAuth(auth: AuthOptions): void {
  const fault = findFieldFault(auth, FIELDS)
  if (fault === undefined) return
  const { field, reason, todo } = fault
  raise('INVALID_OPTIONS', { what: field === undefined ? 'auth' : `auth.${field}`, reason, todo })
}

export function createAuthenticate(auth: AuthOptions | undefined): Authenticate {
  if (auth === undefined) return async () => ANONYMOUS_IDENTITY
  const known = Object.entries(auth.tokens ?? {}).map(([principal, token]) => {
    if (!isToken(token)) {
      raise('INVALID_OPTIONS', {
        what: `auth.tokens.${principal}`,
        reason: TOKEN_RULE,
        todo: 'Make one with: node -e "console.log(crypto.randomUUID())"',
      })
    }
    return { identity: { principal }, digest: digest(token) }
  })
  return async (header) => {
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
    if (token === undefined) return { refused: 'no-token' }
    const match = known.length === 0 ? undefined : findToken(known, digest(token))
    return match ?? toIdentity(await auth.verify?.(token))
  }
}

/** A configured token. Only its SHA-256 digest is kept. */
export interface KnownToken {
  readonly identity: Identity
  readonly digest: Buffer
}

/** Compares all digests, which have equal length: the time does not reveal which one matches. */
export function findToken(known: readonly KnownToken[], given: Buffer): Identity | undefined {
  return known.filter((one) => timingSafeEqual(one.digest, given))[0]?.identity
}

/** `verify` may return any value: `token === known && 'carol'` returns false for an unknown token. */
function toIdentity(verified: unknown): Identity | LoginRefusal {
  if (typeof verified === 'string') return verified === '' ? UNKNOWN_TOKEN : { principal: verified }
  if (!isRecord(verified)) return UNKNOWN_TOKEN
  if (isRefusal(verified)) return verified
  if (!isIdentity(verified)) return UNKNOWN_TOKEN
  return verified.expiresAt !== undefined && verified.expiresAt <= Date.now() ? { refused: 'expired' } : verified
}

/** An identity with invalid rights is refused. Otherwise it would have no limits. */
function isIdentity(value: Readonly<Record<string, unknown>>): value is Identity & Record<string, unknown> {
  const { principal, rights, expiresAt } = value
  if (typeof principal !== 'string' || principal === '') return false
  if (rights !== undefined && parseRights(rights) === undefined) return false
  return expiresAt === undefined || (typeof expiresAt === 'number' && !Number.isNaN(expiresAt))
}

function isRefusal(value: object): value is LoginRefusal {
  return 'refused' in value && typeof value.refused === 'string'
}

export function isRefused(login: Identity | LoginRefusal): login is LoginRefusal {
  return 'refused' in login && login.refused !== undefined
}

/** The identity that the door gave to the SDK with a request. */
export function identityIn(authInfo: { readonly extra?: Record<string, unknown> } | undefined): Identity {
  const identity = authInfo?.extra?.identity
  return identity === undefined ? ANONYMOUS_IDENTITY : (identity as Identity) // set only by the door
}

/** The caller of a request over HTTP. */
export function httpCaller<E extends Era>({ principal, rights }: Identity, era: E) {
  return { principal, era, transport: 'http' as const, ...(rights === undefined ? {} : { rights }) }
}

export function isToken(token: unknown): token is string {
  return typeof token === 'string' && token.length >= MIN_TOKEN_LENGTH && /^[!-~]+$/.test(token)
}

export function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
