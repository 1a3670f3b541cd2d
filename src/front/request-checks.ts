// Checks the Host and the Origin of a request, before its body is read.

import type { IncomingMessage } from 'node:http'
import { hostname, networkInterfaces } from 'node:os'
import { localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server'
import type { HttpAddress } from '../config/http-settings.ts'
import { bracketed } from './address.ts'
import { type Cors, type CorsOptions, corsFor, originIn } from './cors.ts'
import { createProxies, type Proxies } from './proxies.ts'
import { protocolError, refusal } from './refusal.ts'

interface CheckOptions {
  /** The address that the server listens on. */
  readonly host: string
  readonly cors: CorsOptions | undefined
  readonly address: HttpAddress
}

export interface RequestChecks {
  readonly cors: Cors
  readonly proxies: Proxies
  /** Every host that the request names. Undefined if they cannot be checked; see `namedHosts`. */
  hostsOf(incoming: IncomingMessage): readonly string[] | undefined
  /** True if every host is allowed. */
  admits(hosts: readonly string[] | undefined): boolean
  /** The response to a request with a Host or an Origin that is not allowed. Undefined if both are allowed. */
  refuse(hosts: readonly string[] | undefined, origin: string | null): Response | undefined
}

const PLAIN_HOST = /^[^@/?#\\\s]+$/
const ABSOLUTE_TARGET = /^https?:\/\/([^/?#]*)/i
const UNCLEAR_HOST =
  'The request must have exactly one Host header, and no host in it may contain white space or one of @ / ? # \\.'

/** True if the host with this name and port is allowed. */
type HostTest = (name: string, port: string | undefined) => boolean

export function createRequestChecks({ host, cors: corsOptions, address }: CheckOptions): RequestChecks {
  const { allowedHosts, allowedOrigins, trustProxy } = address
  const cors = corsFor(corsOptions, allowedOrigins)
  const proxies = createProxies(trustProxy)
  const hostTests = [
    ...localhostAllowedHostnames(),
    ...hostNamesOf(host),
    ...cors.allowedHostnames,
    ...allowedHosts,
  ].map(toHostTest)
  const isAllowedHost = cacheResults((given) => {
    const named = parseHost(given)
    return named !== undefined && hostTests.some((allows) => allows(named.name, named.port))
  })
  const originHosts = [...localhostAllowedOrigins(), ...cors.allowedHostnames]
  const origins = allowedOrigins.map(originIn)
  const isAllowedOrigin = (origin: string) =>
    origins.includes(originIn(origin)) || (URL.canParse(origin) && originHosts.includes(new URL(origin).hostname))
  return {
    cors,
    proxies,
    hostsOf(incoming) {
      const hosts = namedHosts(incoming)
      // The forwarded host becomes part of the public address, so it must be allowed too.
      const forwarded = proxies.forwardedHostOf(incoming)
      if (hosts === undefined || forwarded === undefined) return hosts
      return PLAIN_HOST.test(forwarded) ? [...hosts, forwarded] : undefined
    },
    admits: (hosts) => hosts?.every(isAllowedHost) === true,
    refuse(hosts, origin) {
      if (hosts === undefined) return protocolError(400, -32000, UNCLEAR_HOST)
      const wrong = hosts.find((one) => !isAllowedHost(one))
      if (wrong !== undefined) return refusal(403, 'HOST_NOT_ALLOWED', { host: parseHost(wrong)?.name ?? wrong })
      if (origin === null || isAllowedOrigin(origin) || isOwnOrigin(origin, hosts)) return undefined
      return refusal(403, 'ORIGIN_NOT_ALLOWED', { origin })
    },
  }
}

/**
 * The hosts that a request names: in its Host header, and in an absolute request target. Undefined if there is not
 * exactly one Host header, or if a host contains `@ / ? # \` or white space: with these, the name of one machine can
 * look like that of another. Uses the raw headers, because Node drops repeated ones.
 */
function namedHosts({ rawHeaders, url = '/' }: IncomingMessage): readonly string[] | undefined {
  const given = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host')
  const target = url.startsWith('/') ? [] : [ABSOLUTE_TARGET.exec(url)?.[1] ?? '']
  const hosts = [...given, ...target]
  return given.length === 1 && hosts.every((host) => PLAIN_HOST.test(host)) ? hosts : undefined
}

/** The names for the Host check: the address of the server, or the hostname and all addresses if it listens on all. */
function hostNamesOf(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [bracketed(host)]
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return [hostname(), ...addresses.map(({ address }) => bracketed(address))]
}

/** True for the origin of the inspector page, which this server serves. `hosts` are already checked. */
function isOwnOrigin(origin: string, hosts: readonly string[]): boolean {
  if (!/^https?:/i.test(origin) || !URL.canParse(origin)) return false
  const { protocol, host } = new URL(origin)
  return hosts.some((one) => URL.canParse(`${protocol}//${one}`) && new URL(`${protocol}//${one}`).host === host)
}

/** An entry without a port allows every port. */
function toHostTest(entry: string): HostTest {
  const isWildcard = entry.startsWith('*.')
  const { name = '', port: wanted } = parseHost(isWildcard ? entry.slice(2) : entry) ?? {}
  const isNamed = (host: string) => (isWildcard ? host.endsWith(`.${name}`) : host === name)
  return (host, port) => isNamed(host) && (wanted === undefined || matchesPort(wanted, port))
}

function parseHost(host: string): { readonly name: string; readonly port: string | undefined } | undefined {
  if (!URL.canParse(`http://${host}`)) return undefined
  return { name: new URL(`http://${host}`).hostname, port: /:(\d+)$/.exec(host)?.[1] }
}

/** A client leaves out the default port of its scheme. */
function matchesPort(wanted: string, given: string | undefined): boolean {
  return given === undefined ? wanted === '80' || wanted === '443' : given === wanted
}

/** Caches the first results: nearly all requests have the same few hosts. */
function cacheResults(test: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return (text) => {
    const answer = known.get(text) ?? test(text)
    if (known.size < MAX_CACHED) known.set(text, answer)
    return answer
  }
}

const MAX_CACHED = 100
