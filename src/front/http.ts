// The HTTP front door: listens on a port, answers the requests, and closes when the requests in flight have ended.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressOptions } from '../config/http-settings.ts'
import { raise } from '../core/errors.ts'
import { isLoopback } from '../core/is-loopback.ts'
import { createAccessLog } from './access-log.ts'
import { createActivity } from './activity.ts'
import { addressFor } from './address.ts'
import { createDoorLogin } from './door-login.ts'
import { type DrainOptions, drain, settles } from './drain.ts'
import { createHttpAnswer } from './http-answer.ts'
import { openHttpEras } from './http-eras.ts'
import type { HttpDoor, HttpOptions } from './http-options.ts'
import { createInspectorDoor } from './inspector-door.ts'
import { listen, writeAnswer } from './node-http.ts'
import { createOpenResponses } from './open-responses.ts'
import { createRequestChecks } from './request-checks.ts'
import { pathsBelow } from './routes.ts'
import { createWebServer } from './web-server.ts'

/** The minimum time that a client has to read its last response before its connection is closed. */
const LAST_RESPONSE_MS = 1_000

export async function serveHttp(options: HttpOptions): Promise<HttpDoor> {
  const { host, port, auth, maxBodyBytes = 4 * 1024 * 1024, maxSessions = 1_000, sessionIdleMs = 30 * 60_000 } = options
  if (auth === undefined && !isLoopback(host)) raise('AUTH_REQUIRED', { host })
  const checksFor = (http: AddressOptions | undefined) =>
    createRequestChecks({ host, cors: options.cors, address: addressFor(http, auth !== undefined) })
  let checks = checksFor(options.http)
  const { basePath, tls } = addressFor(options.http, auth !== undefined)
  const { onAccess } = options
  const accessLog = onAccess === undefined ? undefined : createAccessLog(() => checks.proxies, onAccess)
  const path = pathsBelow(basePath)
  const { activity, onError } = options
  const openResponses = createOpenResponses()
  const inspector = createInspectorDoor({ inspector: options.inspector, basePath, mcpPath: path.mcp, onError })
  let stopping = false
  const isStopping = () => stopping
  const eras = await openHttpEras({ front: options, maxBodyBytes, maxSessions, sessionIdleMs, isStopping })
  const answer = createHttpAnswer({
    door: options,
    maxBodyBytes,
    path,
    logins: createDoorLogin(options, path.mcp),
    inspector,
    eras,
    openResponses,
    accessLog,
    checks: () => checks,
    isStopping,
  })

  /** The responses that are being written. */
  const writing = createActivity()
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (accessLog !== undefined && incoming.url !== path.health && incoming.url !== path.ready)
      accessLog.open(incoming, outgoing)
    answer(incoming, outgoing)
      .then((given) => writing.track(writeAnswer(given, outgoing)))
      .catch(onError)
  }
  const { server, unwatch } = await createWebServer(tls, handle, onError)
  const boundPort = await listen(server, host.replace(/^\[(.*)\]$/, '$1'), port).catch(async (error) => {
    unwatch()
    eras.stopNotifying()
    await eras.close()
    throw error
  })
  server.on('error', onError)

  const close = async (drainMs: number, options: Omit<DrainOptions, 'drainMs'>) => {
    const startedAt = performance.now()
    stopping = true
    activity.refuseCalls()
    eras.stopNotifying()
    unwatch()
    await inspector.close()
    await drain(activity, activity.idle(), { ...options, drainMs })
    server.close()
    server.closeIdleConnections()
    await eras.close()
    const restMs = Math.max(LAST_RESPONSE_MS, drainMs - (performance.now() - startedAt))
    await settles(writing.idle(), restMs, options.hurry)
    server.closeAllConnections()
  }
  let closing: Promise<void> | undefined
  return {
    port: boundPort,
    get sessions() {
      return eras.sessions
    },
    readdress(http) {
      checks = checksFor(http)
    },
    dismiss(principal) {
      eras.dismiss(principal)
      openResponses.dismiss(principal)
    },
    close(drainMs, given = {}) {
      closing ??= close(drainMs, given)
      return closing
    },
  }
}
