// The gateway as a resource server of OAuth 2.1: checks access tokens of a company's authorization server.

import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { createBoundedFetch, type Fetch } from '../core/bounded-fetch.ts'
import { setNewest } from '../core/collections.ts'
import { isRecord } from '../core/is-record.ts'
import { type Rights, uniteRights } from '../core/rights.ts'
import { messageOf } from '../core/text.ts'
import { COMPANY_PREFIX } from '../crib/own-principal.ts'
import type { Identity, LoginRefusal } from './auth.ts'
import type { ResourceServer } from './door-login.ts'

export interface OAuthOptions {
  readonly issuer: string
  /** The value that `aud` of a token must contain. */
  readonly audience: string
  /** The address of the keys. Default: the one in the metadata of the issuer. */
  readonly jwksUri?: string | undefined
  /** The claim with the values that select the rights: words with spaces between them, or a list. */
  readonly claim: string
  readonly principalClaim: string
  /** The rights by value of the claim. */
  readonly scopes: Readonly<Record<string, Rights>>
}

export interface TokenVerifier extends ResourceServer {
  /** `hash` identifies the token in the cache. */
  verify(token: string, hash: string): Promise<Identity | LoginRefusal>
  /** The principals with a token that was verified and has not expired. */
  principals(): readonly string[]
}

interface CachedLogin {
  readonly login: Identity
  readonly until: number
}

/** Only signatures with a private key: with a shared key, this gateway could make tokens itself. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** How far the clocks of two machines may differ. */
const SKEW_SECONDS = 5
/** A verified token is verified again after this time, because its key may have been withdrawn. */
const VERIFIED_MS = 60_000
const MAX_VERIFIED = 10_000
const MAX_DOCUMENT_BYTES = 1024 * 1024
const FETCH_MS = 5_000
/** If the keys could not be read, the authorization server is asked again at the earliest after this time. */
const RETRY_MS = 5_000
const MAX_PRINCIPAL_CHARS = 256
const UNKNOWN: LoginRefusal = { refused: 'unknown-token' }

export function createTokenVerifier(options: OAuthOptions, onProblem: (message: string) => void): TokenVerifier {
  const { issuer, audience, claim, principalClaim, scopes } = options
  const verified = new Map<string, CachedLogin>()
  /** When the last token of each principal expires. Not part of the cache, because a stream can outlive an entry. */
  const expiryByPrincipal = new Map<string, number>()
  const rightsBySet = new Map<string, Rights | undefined>()
  const keys = createKeys(options, onProblem)

  /** Tokens with the same values share one object, because views are cached by rights. */
  const rightsOf = (values: readonly string[]): Rights | undefined => {
    const key = JSON.stringify(values)
    if (rightsBySet.has(key)) return rightsBySet.get(key)
    const rights = uniteRights(values.flatMap((value) => scopes[value] ?? []))
    if (rightsBySet.size < MAX_VERIFIED) rightsBySet.set(key, rights)
    return rights
  }
  const toLogin = (payload: JWTPayload): Identity | LoginRefusal => {
    const name = payload[principalClaim]
    const { exp } = payload
    if (typeof name !== 'string' || name === '' || name.length > MAX_PRINCIPAL_CHARS || exp === undefined)
      return UNKNOWN
    const values = [...new Set(valuesOf(payload[claim]))].filter((value) => Object.hasOwn(scopes, value)).sort()
    if (values.length === 0) return { refused: 'insufficient-scope' }
    const rights = rightsOf(values)
    // The prefix keeps these names apart from the names of tokens.
    const identity = { principal: `${COMPANY_PREFIX}${name}`, expiresAt: (exp + SKEW_SECONDS) * 1_000 }
    return rights === undefined ? identity : { ...identity, rights }
  }
  const remember = ({ principal, expiresAt = 0 }: Identity) => {
    const latest = Math.max(expiryByPrincipal.get(principal) ?? 0, expiresAt)
    expiryByPrincipal.delete(principal)
    expiryByPrincipal.set(principal, latest)
    if (expiryByPrincipal.size <= MAX_VERIFIED) return
    const now = Date.now()
    for (const [name, until] of expiryByPrincipal) if (until <= now) expiryByPrincipal.delete(name)
    const [oldest] = expiryByPrincipal.size > MAX_VERIFIED ? expiryByPrincipal.keys() : []
    if (oldest !== undefined) expiryByPrincipal.delete(oldest)
  }
  return {
    async verify(token, hash) {
      const known = verified.get(hash)
      if (known !== undefined && known.until > Date.now()) return known.login
      verified.delete(hash)
      const { jwtVerify } = await import('jose')
      try {
        const { payload } = await jwtVerify(token, await keys(), {
          issuer,
          audience,
          algorithms: ALGORITHMS,
          clockTolerance: SKEW_SECONDS,
          requiredClaims: ['exp', principalClaim],
        })
        const login = toLogin(payload)
        if ('refused' in login) return login
        setNewest(verified, hash, { login, until: Date.now() + VERIFIED_MS }, MAX_VERIFIED)
        remember(login)
        return login
      } catch (error) {
        if (error instanceof KeysUnavailable) return { refused: 'keys-unavailable' }
        return { refused: codeOf(error) === 'ERR_JWT_EXPIRED' ? 'expired' : 'unknown-token' }
      }
    },
    principals: () => [...expiryByPrincipal].flatMap(([name, until]) => (until > Date.now() ? [name] : [])),
    metadata: (url) => ({
      // An audience that is an address is the public address of this gateway.
      resource: URL.canParse(audience) && /^https?:/.test(audience) ? audience : url,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...(claim === 'scope' ? { scopes_supported: Object.keys(scopes) } : {}),
    }),
  }
}

/** Thrown if the keys cannot be read, so that the token is neither valid nor invalid. */
class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/**
 * The keys of the issuer. `jose` fetches them at the first use, and again if a token names an unknown key or the cached
 * keys have expired. Rejects with `KeysUnavailable` if they cannot be read.
 */
function createKeys(
  { issuer, jwksUri }: OAuthOptions,
  onProblem: (message: string) => void,
): () => Promise<JWTVerifyGetKey> {
  const boundedFetch = createBoundedFetch(MAX_DOCUMENT_BYTES)
  let opening: Promise<JWTVerifyGetKey> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  const fail = (error: unknown): never => {
    failedAt = performance.now()
    const message = `the keys of the authorization server ${issuer} cannot be read: ${messageOf(error)}`
    onProblem(message)
    throw new KeysUnavailable(message)
  }
  const hasJustFailed = () => performance.now() - failedAt < RETRY_MS
  const open = async (): Promise<JWTVerifyGetKey> => {
    const { createRemoteJWKSet, customFetch } = await import('jose')
    const address = new URL(jwksUri ?? (await findJwksUri(issuer, boundedFetch)))
    return createRemoteJWKSet(address, {
      timeoutDuration: FETCH_MS,
      [customFetch]: async (url: string, init: RequestInit) => {
        // For RETRY_MS after a failure no request is sent. Tokens with a cached key are still accepted until the cache
        // of jose expires.
        if (hasJustFailed()) throw new KeysUnavailable('the keys could not be read a moment ago')
        try {
          // The body is read here, because `jose` would not report a body that cannot be used.
          return Response.json(await keysIn(await boundedFetch(url, { ...init, redirect: 'error' })))
        } catch (error) {
          return fail(error)
        }
      },
    })
  }
  return () => {
    if (opening === undefined && hasJustFailed()) return Promise.reject(new KeysUnavailable('the keys are not known'))
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      return fail(error)
    })
    return opening
  }
}

/** The document with the keys. `jose` checks the keys when it needs them. */
async function keysIn(response: Response): Promise<unknown> {
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`HTTP ${response.status}`)
  }
  const document: unknown = await response.json()
  const isUsable = isRecord(document) && Array.isArray(document.keys) && document.keys.every(isRecord)
  if (!isUsable) throw new Error('the document has no list of keys')
  return document
}

/** Reads the address of the keys from the metadata of the issuer. */
async function findJwksUri(issuer: string, boundedFetch: Fetch): Promise<string> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const addresses = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
  const refused: string[] = []
  for (const address of addresses) {
    const response = await boundedFetch(address, { signal: AbortSignal.timeout(FETCH_MS), redirect: 'error' })
    if (!response.ok) {
      await response.body?.cancel()
      refused.push(`${address} (HTTP ${response.status})`)
      continue
    }
    const metadata: unknown = await response.json()
    // Without this check, one server could provide keys for another issuer.
    if (!isRecord(metadata) || metadata.issuer !== issuer) throw new Error(`${address} belongs to another issuer`)
    if (typeof metadata.jwks_uri === 'string' && isAsSecure(metadata.jwks_uri, issuer)) return metadata.jwks_uri
    throw new Error(`${address} names no jwks_uri that can be used`)
  }
  throw new Error(`its metadata cannot be read at ${refused.join(' or ')}`)
}

/** The keys of an issuer with https must have an https address too. */
function isAsSecure(uri: string, issuer: string): boolean {
  return URL.canParse(uri) && (new URL(uri).protocol === 'https:' || new URL(issuer).protocol === 'http:')
}

/** `scope` has words with spaces between them. Other claims, such as `groups` or `roles`, are lists. */
function valuesOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ')
  return Array.isArray(claim) ? claim.filter((value) => typeof value === 'string') : []
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
