// Checks which addresses may receive a token, and to which addresses a login may send requests.

import type { Fetch } from '../../../core/bounded-fetch.ts'

const REQUEST_MS = 15_000

/** The address without credentials and fragment. A login belongs to exactly this address. */
export function loginUrl(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  url.hash = ''
  return url.href
}

export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** A token is sent only over TLS, or to this machine. */
export function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
}

/**
 * A fetch for metadata and tokens. The server chooses these addresses. It must not be able to make this machine send
 * requests to its local services, or send secrets without TLS. The headers in the config of the server are not sent.
 */
export function createLoginFetch(server: URL, signal: AbortSignal, inner: Fetch = fetch): Fetch {
  return async (given, init) => {
    const url = new URL(given)
    if (!isSafe(url)) throw new Error(`the login needs an https address, and ${url.origin} is not one`)
    if (isLoopback(url) && !isLoopback(server)) {
      throw new Error(`the server refers to ${url.origin}, an address of this machine`)
    }
    return inner(url, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]) })
  }
}
