// Decides which web pages may call the HTTP front door.

import { raise } from '../core/errors.ts'
import { isLoopback } from '../core/is-loopback.ts'

/**
 * `true` allows pages served from this machine, `false` no page. Otherwise an origin such as `https://app.example.com`,
 * or a list of origins.
 */
export type CorsOptions = boolean | string | readonly string[]

export interface Cors {
  /** Hostnames that pass the Host check and the Origin check in addition to localhost. */
  readonly allowedHostnames: readonly string[]
  /** Answers an OPTIONS request, such as a preflight request. Undefined for other requests. */
  preflight(request: Request): Response | undefined
  /** Adds the headers that let a page read the response, if the origin of the page is allowed. */
  decorate(request: Request, response: Response): Response
}

const METHODS = 'GET, POST, DELETE, OPTIONS'
const REQUEST_HEADERS =
  'authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id'
const RESPONSE_HEADERS = 'mcp-session-id, mcp-protocol-version, www-authenticate'

/** `allowedOrigins` are added to `cors`. They can have other schemes, such as `chrome-extension:`. */
export function corsFor(cors: CorsOptions = false, allowedOrigins: readonly string[] = []): Cors {
  const given = typeof cors === 'boolean' ? [] : [cors].flat().map(toOrigin)
  const origins = [...given, ...allowedOrigins.map(originIn)]
  const allows = (origin: string) => (cors === true && isLocal(origin)) || origins.includes(originIn(origin))
  return {
    allowedHostnames: given.map((origin) => new URL(origin).hostname),
    preflight(request) {
      if (request.method !== 'OPTIONS') return undefined
      return new Response(null, { status: 204, headers: { allow: METHODS } })
    },
    decorate(request, response) {
      const origin = request.headers.get('origin')
      if (origin === null || !allows(origin)) return response
      const headers = new Headers(response.headers)
      headers.set('access-control-allow-origin', origin)
      headers.append('vary', 'origin')
      headers.set('access-control-allow-methods', METHODS)
      headers.set('access-control-allow-headers', [REQUEST_HEADERS, ...paramHeaders(request)].join(', '))
      headers.set('access-control-expose-headers', RESPONSE_HEADERS)
      return new Response(response.body, { status: response.status, headers })
    },
  }
}

/**
 * Returns the origin as a browser sends it, without its path and its default port. Other texts are returned in lower
 * case, without a final slash.
 */
export function originIn(text: string): string {
  return webOriginIn(text) ?? text.toLowerCase().replace(/\/$/, '')
}

function toOrigin(text: string): string {
  const todo = "Give origins like 'https://app.example.com', or true for pages of this machine."
  return webOriginIn(text) ?? raise('INVALID_OPTIONS', { what: 'cors', reason: `'${text}' is not an origin`, todo })
}

/** Undefined for a text that is not a URL, and for schemes without origins, such as `chrome-extension:`. */
function webOriginIn(text: string): string | undefined {
  const { origin } = URL.canParse(text) ? new URL(text) : { origin: 'null' }
  return origin === 'null' ? undefined : origin
}

/**
 * Headers that repeat parameters of a tool (`mcp-param-*`). The tools define the names of these headers, so every name
 * with this prefix is allowed.
 */
function paramHeaders(request: Request): readonly string[] {
  const asked = request.headers.get('access-control-request-headers') ?? ''
  return asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[!#$%&'*+.^_`|~\w-]+$/i.test(name))
}

function isLocal(origin: string): boolean {
  return URL.canParse(origin) && isLoopback(new URL(origin).hostname)
}
