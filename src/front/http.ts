// The HTTP front door: listens on a port, answers the requests, and closes when the requests in flight have ended.

import { type EventEmitter, once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressOptions, HttpAddress } from '../config/http-settings.ts'
import { watchConfig } from '../config/watch.ts'
import { raise } from '../core/errors.ts'
import { isLoopback } from '../core/is-loopback.ts'
import { messageOf } from '../core/text.ts'
import { type AccessRecord, createAccessLog } from './access-log.ts'
import { createActivity, type DrainOptions, drain, settles } from './activity.ts'
import { addressFor } from './address.ts'
import type { CorsOptions } from './cors.ts'
import { createDoorLogin, createOpenResponses, type DoorLoginOptions } from './door-login.ts'
import type { FrontOptions } from './front-options.ts'
import { createHttpAnswer, type MetricsPage, pathsBelow } from './http-answer.ts'
import { openHttpEras } from './http-eras.ts'
import type { InspectorOptions } from './inspector/inspector-options.ts'
import { createInspectorDoor } from './inspector-door.ts'
import { writeAnswer } from './node-http.ts'
import { createRequestChecks } from './request-checks.ts'

export interface HttpOptions extends FrontOptions, DoorLoginOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly cors?: CorsOptions | undefined
  /** The public address. */
  readonly http?: AddressOptions | undefined
  /** The page at /metrics. Default: none. */
  readonly metrics?: MetricsPage | undefined
  /** The page at / and its data. Default: none. */
  readonly inspector?: InspectorOptions | undefined
  /** Called after each request, except probes. */
  readonly onAccess?: ((record: AccessRecord) => void) | undefined
  readonly maxBodyBytes?: number
  readonly maxSessions?: number
  readonly sessionIdleMs?: number
}

export interface HttpDoor {
  readonly port: number
  /** The number of open legacy sessions. */
  readonly sessions: number
  /** Replaces the hosts, origins and proxies that are allowed. The path and the files of the certificate stay. */
  readdress(http: AddressOptions): void
  /** Closes all sessions and responses of this principal, for example because its token was revoked. */
  dismiss(principal: string): void
  /** Refuses new calls, waits for calls in flight, then closes. /health and /ready are answered meanwhile. */
  close(drainMs: number, options?: Omit<DrainOptions, 'drainMs'>): Promise<void>
}

/** Unless `hurry` aborts, a client has at least this time to read its last response. Then its connection is closed. */
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
  const limits = { hasPrincipals: auth !== undefined, maxBodyBytes, maxSessions, sessionIdleMs }
  const eras = await openHttpEras({ front: options, ...limits, isStopping })
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
      .catch((error) => {
        // Otherwise the client would wait for the rest, and everything that ends with the response would stay open.
        outgoing.destroy()
        onError(error)
      })
  }
  const giveUp = async (error: unknown): Promise<never> => {
    eras.stopWatching()
    await eras.close()
    throw error
  }
  const { server, unwatch } = await createWebServer(tls, handle, onError).catch(giveUp)
  const boundPort = await listen(server, host.replace(/^\[(.*)\]$/, '$1'), port).catch((error) => {
    unwatch()
    return giveUp(error)
  })
  server.on('error', onError)

  const close = async (drainMs: number, options: Omit<DrainOptions, 'drainMs'>) => {
    const startedAt = performance.now()
    stopping = true
    activity.refuseCalls()
    eras.stopWatching()
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

interface WebServer {
  readonly server: EventEmitter &
    Pick<Server, 'listen' | 'address' | 'close' | 'closeIdleConnections' | 'closeAllConnections'>
  /** Ends the watch of the certificate. */
  unwatch(): void
}

/**
 * Creates an HTTP or HTTPS server, which reads a changed certificate without a restart. `onProblem` gets the reason if
 * a changed certificate cannot be used. The last valid one stays in use.
 */
async function createWebServer(
  tls: HttpAddress['tls'],
  listener: RequestListener,
  onProblem: (error: Error) => void,
): Promise<WebServer> {
  if (tls === undefined) return { server: createServer(listener), unwatch() {} }
  // Imported only when needed.
  const [https, { createSecureContext }] = await Promise.all([import('node:https'), import('node:tls')])
  const { cert, key } = tls
  const read = async () => {
    const files = { cert: await readFile(cert), key: await readFile(key) }
    // Throws if a file is not valid, or if the key belongs to another certificate.
    createSecureContext(files)
    return files
  }
  const first = await read().catch((error: unknown) =>
    raise('INVALID_OPTIONS', {
      what: 'http.tls',
      reason: messageOf(error),
      todo: 'Name a certificate and its private key in PEM format, in files that this process can read.',
    }),
  )
  const server = https.createServer(first, listener)
  const watch = watchConfig([cert, key], async () => server.setSecureContext(await read()), {
    onError: (error) =>
      onProblem(new Error(`http.tls: the changed certificate is not used, the last one stays: ${messageOf(error)}`)),
  })
  return { server, unwatch: () => watch.close() }
}

/** Connections that wait to be accepted. With the default of 511, the system resets some of a burst of thousands. */
const MAX_PENDING_CONNECTIONS = 4_096

/** Resolves with the port. */
async function listen(server: WebServer['server'], host: string, port: number): Promise<number> {
  server.listen({ port, host, backlog: MAX_PENDING_CONNECTIONS })
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
