// Finds the client, the scheme and the host of a request that may have come through a proxy.

import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { HttpAddress } from '../config/http-settings.ts'

type Trust = HttpAddress['trustProxy']
type Received = Pick<IncomingMessage, 'headers' | 'socket'>

/** Reads the X-Forwarded headers of trusted proxies, and ignores those of others. */
export interface Proxies {
  /** The address of the client. Empty if its connection is closed. */
  clientOf(request: Received): string
  /** The host that the client asked for, if a trusted proxy names it. */
  forwardedHostOf(request: Received): string | undefined
  /** The scheme that the client used. */
  schemeOf(request: Received): 'http' | 'https'
}

export function createProxies(trust: Trust): Proxies {
  const isTrusted = createTrustTest(trust)
  const peerOf = ({ socket }: Received) => plainAddress(socket.remoteAddress ?? '')
  /** A proxy adds its value at the end. Values before it may be from the client. */
  const lastOf = (request: Received, header: string) =>
    trust !== false && isTrusted(peerOf(request)) ? valuesIn(request.headers[header]).at(-1) : undefined
  return {
    clientOf(request) {
      let client = peerOf(request)
      if (trust === false) return client
      for (const hop of valuesIn(request.headers['x-forwarded-for']).reverse()) {
        const address = plainAddress(hop)
        if (!isTrusted(client) || isIP(address) === 0) break
        client = address
        // `true` trusts the proxy that connects to this server, and no proxy before it.
        if (trust === true) break
      }
      return client
    },
    forwardedHostOf: (request) => lastOf(request, 'x-forwarded-host'),
    schemeOf(request) {
      const scheme = lastOf(request, 'x-forwarded-proto')?.toLowerCase()
      if (scheme === 'http' || scheme === 'https') return scheme
      return 'encrypted' in request.socket ? 'https' : 'http'
    },
  }
}

function createTrustTest(trust: Trust): (address: string) => boolean {
  if (typeof trust === 'boolean') return () => trust
  const list = new BlockList()
  for (const range of trust) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function valuesIn(header: string | readonly string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')
}

/** Removes the port, and turns an IPv4 address in IPv6 form into its IPv4 form. */
function plainAddress(text: string): string {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text
  return bare.replace(/^::ffff:(?=\d+\.)/i, '')
}
