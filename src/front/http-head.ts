// Checks an HTTP request before its body is read, and answers the requests that need no body.

import type { IncomingMessage } from 'node:http'
import type { AccessLog } from './access-log.ts'
import { type Identity, isRefused } from './auth.ts'
import { type DoorLogin, senderOf } from './door-login.ts'
import type { HttpOptions } from './http-options.ts'
import { type InspectorDoor, withDataHeaders } from './inspector-door.ts'
import type { RequestChecks } from './request-checks.ts'
import { answerProbe, type Paths } from './routes.ts'

export interface HeadCheckOptions {
  readonly door: Pick<HttpOptions, 'metrics' | 'shared' | 'degraded'>
  readonly path: Paths
  readonly logins: DoorLogin
  readonly inspector: InspectorDoor
  readonly accessLog: AccessLog | undefined
  isStopping(): boolean
}

/** A request without its body. */
interface RequestHead {
  readonly incoming: IncomingMessage
  readonly head: Request
  /** Every host that the request names; see `RequestChecks.hostsOf`. */
  readonly hosts: readonly string[] | undefined
}

/** Returns the response if the request is refused or needs no body, else the identity of its sender. */
type HeadCheck = (request: RequestHead, checks: RequestChecks) => Promise<Response | Identity>

export function createHeadCheck({ door, path, logins, inspector, accessLog, isStopping }: HeadCheckOptions): HeadCheck {
  /** Undefined if the request needs a login. */
  const answerWithoutLogin = ({ head, hosts, incoming }: RequestHead, pathname: string, checks: RequestChecks) => {
    // Probes of a load balancer use any host, and their answers contain only the state of this server.
    const probe =
      head.method === 'OPTIONS' ? undefined : answerProbe(path, pathname, { ...door, isStopping: isStopping() })
    return (
      probe ??
      checks.refuse(hosts, head.headers.get('origin')) ??
      checks.cors.preflight(head) ??
      logins.document(pathname, senderOf(incoming, checks.proxies)) ??
      inspector.page(head.method, pathname)
    )
  }
  return async (request, checks) => {
    const { head, incoming } = request
    const { pathname } = new URL(head.url)
    const early = answerWithoutLogin(request, pathname, checks)
    if (early !== undefined) return early
    const isData = inspector.hasData(pathname)
    const metrics = pathname === path.metrics ? door.metrics : undefined
    if (metrics?.isPublic === true) return metrics.respond()
    if (pathname !== path.mcp && metrics === undefined && !isData)
      return new Response(`Not found. MCP is at ${path.mcp}.\n`, { status: 404 })
    const sender = senderOf(incoming, checks.proxies)
    const login = await logins.authenticate(head.headers.get('authorization'))
    if (isRefused(login)) {
      accessLog?.refuse(incoming, login.refused)
      const answer = logins.refuse(login, sender)
      return isData ? withDataHeaders(answer) : answer
    }
    if (metrics === undefined) return login
    accessLog?.identify(incoming, login.principal)
    if (metrics.admits(login)) return metrics.respond()
    accessLog?.refuse(incoming, 'insufficient-scope')
    return logins.refuse({ refused: 'insufficient-scope' }, sender, login.principal)
  }
}
