// The address of an HTTP server: checks its options, and makes its URL.

import { type AddressOptions, type HttpAddress, parseAddress } from '../config/http-settings.ts'
import { raise } from '../core/errors.ts'
import { isLoopback } from '../core/is-loopback.ts'

export const DEFAULT_HOST = 'localhost'
export const DEFAULT_PORT = 3100

/** Fills in the defaults. Raises an error if an option is not valid, or if a public host is allowed without `auth`. */
export function addressFor(given: AddressOptions | undefined, hasAuth = true): HttpAddress {
  const { address, problem } = parseAddress(given)
  if (address === undefined) {
    const { path = 'http', message = 'it is not valid' } = problem ?? {}
    return raise('INVALID_OPTIONS', { what: path, reason: message, todo: 'Correct it, or leave it out.' })
  }
  const publicHost = publicHostIn(address)
  if (!hasAuth && publicHost !== undefined) raise('AUTH_REQUIRED', { host: publicHost })
  return { ...address, basePath: address.basePath.replace(/\/$/, '') }
}

/**
 * Returns the first allowed host that is not a loopback name. Other machines can reach the server under this name,
 * through a proxy, so the server needs tokens.
 */
export function publicHostIn({ allowedHosts = [] }: AddressOptions): string | undefined {
  return allowedHosts.find((host) => !isLoopback(host.replace(/:\d+$/, '')))
}

/** The address of the server without `/mcp`. */
export function httpUrl(host: string, port: number, { tls, basePath = '' }: AddressOptions = {}): string {
  return `${tls === undefined ? 'http' : 'https'}://${bracketed(host)}:${port}${basePath.replace(/\/$/, '')}`
}

/** Returns an IPv6 address in brackets, and any other host unchanged. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
