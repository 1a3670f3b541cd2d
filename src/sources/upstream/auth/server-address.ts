// Checks which addresses may receive a token, and to which addresses a login may send requests.

import { BlockList, isIP } from 'node:net'
import { createBoundedFetch, type Fetch } from '../../../core/bounded-fetch.ts'
import { isLoopback } from '../../../core/is-loopback.ts'
import { timeLimit } from '../../../core/waiting.ts'
import type { LoginOptions, LoginTarget } from './login-store.ts'
import { LOCAL_OWNER } from './person.ts'

/** The time limit of a request for metadata or tokens, including the body of its answer. */
const REQUEST_TIMEOUT_MS = 15_000
/** Metadata and tokens are small. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** The address without credentials and fragment. A login belongs to exactly this address. */
export function loginUrl(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  url.hash = ''
  return url.href
}

/** The server and the owner that a login is stored for. */
export function targetOf(options: Pick<LoginOptions, 'server' | 'connection' | 'owner'>): LoginTarget {
  const { server, connection, owner = LOCAL_OWNER } = options
  return { server, url: loginUrl(connection.url), principal: owner.principal }
}

/** Addresses that are not on the public internet, such as private, link-local and unique local ones. */
const INTERNAL = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  INTERNAL.addSubnet(network, prefix, 'ipv4')
INTERNAL.addSubnet('fc00::', 7, 'ipv6')
INTERNAL.addSubnet('fe80::', 10, 'ipv6')

/** True for a numeric address in `INTERNAL`. A name is not resolved: its owner could change the answer later. */
function isInternal({ hostname }: URL): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  // A BlockList reads an IPv4 address inside an IPv6 address (`::ffff:a00:1`) as IPv4.
  return isIP(address) !== 0 && INTERNAL.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** True if a token may be sent to this address: over TLS, or to this machine. */
export function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

/**
 * A fetch for metadata and tokens. The server chooses these addresses. It must not be able to make this machine send
 * requests to local services, or send secrets without TLS. The headers in the config of the server are not added.
 */
export function createLoginFetch(
  server: URL,
  signal: AbortSignal,
  inner: Fetch = createBoundedFetch(MAX_ANSWER_BYTES),
): Fetch {
  const isServerLocal = isLoopback(server.hostname)
  return async (given, init) => {
    const url = new URL(given)
    if (!isSafe(url)) throw new Error(`the login needs an https address, and ${url.origin} is not one`)
    if (isLoopback(url.hostname) && !isServerLocal) {
      throw new Error(`the server refers to ${url.origin}, an address of this machine`)
    }
    if (isInternal(url) && !isInternal(server) && !isServerLocal) {
      throw new Error(`the server refers to ${url.origin}, an address of a private network`)
    }
    return inner(url, { ...init, signal: timeLimit(REQUEST_TIMEOUT_MS, signal) })
  }
}
