// The logins of the HTTP front door: identifies requests, refuses invalid logins, closes responses of expired ones.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { MAX_TIMER_MS } from '../core/waiting.ts'
import { type AuthOptions, createAuthenticate, type Identity, type LoginRefusal } from './auth.ts'
import type { Proxies } from './proxies.ts'
import { refusal } from './refusal.ts'

/** The gateway as a resource server of OAuth, if an authorization server is configured. */
export interface ResourceServer {
  /** The metadata document of RFC 9728 for the MCP endpoint at this URL. Undefined if there is none. */
  metadata(url: string): Readonly<Record<string, unknown>> | undefined
}

/** A request that was refused because of its login. */
export interface RefusedLogin {
  readonly reason: LoginRefusal['refused']
  /** The address of the client. */
  readonly address: string
  /** How many further refusals were not reported since the last report. */
  readonly unreported: number
}

export interface DoorLoginOptions {
  readonly auth?: AuthOptions | undefined
  readonly resourceServer?: ResourceServer | undefined
  /** Called for at most ten refusals in each window of one second. */
  readonly onRefusedLogin?: ((refused: RefusedLogin) => void) | undefined
}

export interface DoorLogin {
  authenticate(header: string | null): Promise<Identity | LoginRefusal>
  /**
   * The response to a refused login. Reports the refusal, within the limit of `onRefusedLogin`. `principal` is set if
   * the login is valid but gives no access to the metrics.
   */
  refuse(login: LoginRefusal, sender: Sender, principal?: string): Response
  /** The metadata document. Undefined for other paths, and without an authorization server. */
  document(path: string, sender: Sender): Response | undefined
}

/** The address of a client, and the origin under which it knows this server. */
interface Sender {
  readonly address: string
  readonly origin: string
}

const METADATA_PATH = '/.well-known/oauth-protected-resource'
const MAX_REPORTS = 10
const WINDOW_MS = 1_000

/** `mcpPath` is the path of the MCP endpoint. */
export function createDoorLogin(
  { auth, resourceServer, onRefusedLogin }: DoorLoginOptions,
  mcpPath: string,
): DoorLogin {
  let windowStart = Number.NEGATIVE_INFINITY
  let reports = 0
  let unreported = 0
  const report = (reason: LoginRefusal['refused'], address: string) => {
    if (onRefusedLogin === undefined) return
    const now = performance.now()
    if (now - windowStart >= WINDOW_MS) {
      windowStart = now
      reports = 0
    }
    if (reports >= MAX_REPORTS) {
      unreported++
      return
    }
    reports++
    onRefusedLogin({ reason, address, unreported })
    unreported = 0
  }
  const metadataFor = (origin: string) => resourceServer?.metadata(`${origin}${mcpPath}`)
  return {
    authenticate: createAuthenticate(auth),
    refuse({ refused }, { address, origin }, principal) {
      report(refused, address)
      const url = metadataFor(origin) === undefined ? undefined : `${origin}${METADATA_PATH}${mcpPath}`
      if (refused === 'insufficient-scope')
        return refusal(403, 'INSUFFICIENT_SCOPE', { principal }, challenge(url, 'insufficient_scope'))
      if (refused === 'store-down') return refusal(503, 'TOKENS_UNAVAILABLE', {}, { 'retry-after': '1' })
      if (refused === 'keys-unavailable')
        return refusal(503, 'TOKENS_UNAVAILABLE', { isCompanyLogin: true }, { 'retry-after': '5' })
      // RFC 6750: a request without a token gets no error field.
      return refusal(401, 'UNAUTHORIZED', {}, challenge(url, refused === 'no-token' ? undefined : 'invalid_token'))
    },
    document(path, { origin }) {
      if (path !== METADATA_PATH && path !== `${METADATA_PATH}${mcpPath}`) return undefined
      const metadata = metadataFor(origin)
      if (metadata === undefined) return undefined
      // Public by design, and read by clients in browsers before they have a token.
      return Response.json(metadata, { headers: { 'access-control-allow-origin': '*', 'cache-control': 'no-store' } })
    },
  }
}

/** Returns the WWW-Authenticate header. `url` is the address of the metadata; without it, no fields are sent. */
function challenge(url: string | undefined, error: string | undefined) {
  const fields = [...(error === undefined ? [] : [`error="${error}"`]), `resource_metadata="${url}"`]
  return { 'www-authenticate': url === undefined ? 'Bearer' : `Bearer ${fields.join(', ')}` }
}

/** Call it after the checks of the door, which refuse a Host header or a forwarded host that is not allowed. */
export function senderOf(incoming: IncomingMessage, proxies: Proxies): Sender {
  const host = proxies.forwardedHostOf(incoming) ?? incoming.headers.host ?? ''
  return { address: proxies.clientOf(incoming), origin: `${proxies.schemeOf(incoming)}://${host}` }
}

export interface OpenResponses {
  /** Tracks the response until it is closed. Closes it when the token of the identity expires. */
  add(identity: Identity, outgoing: ServerResponse): void
  /** Closes all open responses of a principal. */
  dismiss(principal: string): void
}

export function createOpenResponses(): OpenResponses {
  const open = new Map<string, Set<ServerResponse>>()
  return {
    add({ principal, expiresAt }, outgoing) {
      const all = open.get(principal) ?? new Set()
      open.set(principal, all.add(outgoing))
      const timer = expiresAt === undefined ? undefined : closeAt(expiresAt, outgoing)
      outgoing.once('close', () => {
        clearTimeout(timer)
        all.delete(outgoing)
        if (all.size === 0 && open.get(principal) === all) open.delete(principal)
      })
    },
    dismiss(principal) {
      for (const outgoing of [...(open.get(principal) ?? [])]) outgoing.destroy()
    },
  }
}

/** Closes the response at this time, or after the longest delay of a timer, almost 25 days. */
function closeAt(expiresAt: number, outgoing: ServerResponse): NodeJS.Timeout {
  const leftMs = Math.min(Math.max(0, expiresAt - Date.now()), MAX_TIMER_MS)
  return setTimeout(() => outgoing.destroy(), leftMs).unref()
}
