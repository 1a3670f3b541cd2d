// The checks of the Host and the Origin of a request, before anything else of it is read.

import type { IncomingMessage } from 'node:http'
import { localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server'
import type { HttpAddress } from '../config/http-address.ts'
import { type Cors, type CorsOptions, corsFor, originIn } from './cors.ts'
import { namesOf } from './http-request.ts'
import { hostsOf, isPlainHost } from './node-http.ts'
import { createProxies, type Proxies } from './proxies.ts'
import { protocolError, refusal } from './refusal.ts'

interface CheckOptions {
  /** The address that the server listens on. */
  readonly host: string
  readonly cors: CorsOptions | undefined
  readonly address: HttpAddress
}

interface RequestChecks {
  readonly cors: Cors
  readonly proxies: Proxies
  /** Every host that the request names. Undefined if one of them is not plain; see `hostsOf`. */
  hostsOf(incoming: IncomingMessage): readonly string[] | undefined
  /** True if every host is allowed. */
  admits(hosts: readonly string[] | undefined): boolean
  /** The response to a request with a Host or an Origin that is not allowed. */
  refuse(hosts: readonly string[] | undefined, origin: string | null): Response | undefined
}

/** A test for the name of a host. `port` is undefined for any port. */
interface AllowedHost {
  readonly matches: (name: string) => boolean
  readonly port: string | undefined
}

export function createRequestChecks({ host, cors: corsOptions, address }: CheckOptions): RequestChecks {
  const { allowedHosts, allowedOrigins, trustProxy } = address
  const cors = corsFor(corsOptions, allowedOrigins)
  const proxies = createProxies(trustProxy)
  const listed: readonly AllowedHost[] = [
    ...[...localhostAllowedHostnames(), ...namesOf(host), ...cors.allowedHostnames, ...allowedHosts].map(allowedHost),
  ]
  const isAllowedHost = remembered((given) => {
    const named = parsedHost(given)
    return (
      named !== undefined &&
      listed.some(({ matches, port }) => matches(named.name) && (port === undefined || isPort(port, named.port)))
    )
  })
  const originHosts = [...localhostAllowedOrigins(), ...cors.allowedHostnames]
  const origins = allowedOrigins.map(originIn)
  const isAllowedOrigin = (origin: string) =>
    origins.includes(originIn(origin)) || (URL.canParse(origin) && originHosts.includes(new URL(origin).hostname))
  return {
    cors,
    proxies,
    hostsOf(incoming) {
      const hosts = hostsOf(incoming)
      // The forwarded host becomes part of the public address, so it must be allowed too.
      const forwarded = proxies.forwardedHostOf(incoming)
      if (hosts === undefined || forwarded === undefined) return hosts
      return isPlainHost(forwarded) ? [...hosts, forwarded] : undefined
    },
    admits: (hosts) => hosts?.every(isAllowedHost) === true,
    refuse(hosts, origin) {
      if (hosts === undefined) return protocolError(400, -32000, 'The request must name one plain host.')
      const wrong = hosts.find((one) => !isAllowedHost(one))
      if (wrong !== undefined) return refusal(403, 'HOST_NOT_ALLOWED', { host: parsedHost(wrong)?.name ?? wrong })
      if (origin === null || isAllowedOrigin(origin) || isOwn(origin, hosts)) return undefined
      return refusal(403, 'ORIGIN_NOT_ALLOWED', { origin })
    },
  }
}

/** The page of the inspector sends the origin under which the browser knows this server. Its hosts are checked before. */
function isOwn(origin: string, hosts: readonly string[]): boolean {
  if (!/^https?:/i.test(origin) || !URL.canParse(origin)) return false
  const { protocol, host } = new URL(origin)
  return hosts.some((one) => URL.canParse(`${protocol}//${one}`) && new URL(`${protocol}//${one}`).host === host)
}

function allowedHost(entry: string): AllowedHost {
  const isWildcard = entry.startsWith('*.')
  const { name = '', port } = parsedHost(isWildcard ? entry.slice(2) : entry) ?? {}
  return { matches: isWildcard ? (one) => one.endsWith(`.${name}`) : (one) => one === name, port }
}

function parsedHost(host: string): { readonly name: string; readonly port: string | undefined } | undefined {
  if (!URL.canParse(`http://${host}`)) return undefined
  return { name: new URL(`http://${host}`).hostname, port: /:(\d+)$/.exec(host)?.[1] }
}

/** A client leaves out the default port of its scheme. */
function isPort(wanted: string, given: string | undefined): boolean {
  return given === undefined ? wanted === '80' || wanted === '443' : given === wanted
}

/** Caches the first results: nearly all requests have the same few hosts. */
function remembered(test: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return (text) => {
    const answer = known.get(text) ?? test(text)
    if (known.size < MAX_REMEMBERED) known.set(text, answer)
    return answer
  }
}

const MAX_REMEMBERED = 100
