// The front doors of a server: the stdio of this process, or an HTTP address.

import type { AddressOptions } from '../config/http-settings.ts'
import { defined } from '../core/defined.ts'
import type { AccessRecord } from './access-log.ts'
import type { AuthOptions } from './auth.ts'
import type { CorsOptions } from './cors.ts'
import type { DoorLoginOptions } from './door-login.ts'
import { DEFAULT_DRAIN_MS } from './drain.ts'
import type { FrontOptions } from './front-options.ts'
import type { InspectorOptions } from './inspector/inspector-options.ts'
import { watchReader } from './output-reader.ts'
import type { MetricsPage } from './routes.ts'
import { claimStdout } from './stdout-claim.ts'
import { type DoorLimits, follow, openStreamDoor, type StreamDoorOptions } from './stream-door.ts'

export interface Door {
  /** `http://localhost:3100`, with the base path if there is one (the MCP endpoint is /mcp), or `stdio://`. */
  readonly url: string
  /** The number of open legacy sessions. HTTP only. */
  readonly sessions?: number
  /** Replaces the hosts, origins and proxies that are allowed. HTTP only. */
  readdress?(http: AddressOptions): void
  /** Closes all sessions and responses of a principal. HTTP only, where a token can be revoked. */
  dismiss?(principal: string): void
  /**
   * Stdio and sockets only: resolves when no client is left. Call `close` then.
   */
  readonly left?: Promise<void>
  /** Refuses new calls, waits for calls in flight, then closes. `hurry` ends the wait at once. */
  close(hurry?: AbortSignal): Promise<void>
}

interface HttpDoorOptions extends DoorLimits, Pick<DoorLoginOptions, 'resourceServer' | 'onRefusedLogin'> {
  readonly host?: string | undefined
  /** 0 takes any free port. */
  readonly port?: number | undefined
  readonly auth?: AuthOptions | undefined
  readonly cors?: CorsOptions | undefined
  readonly http?: AddressOptions | undefined
  readonly metrics?: MetricsPage | undefined
  readonly inspector?: InspectorOptions | undefined
  readonly onAccess?: ((record: AccessRecord) => void) | undefined
}

export const DEFAULT_HOST = 'localhost'
export const DEFAULT_PORT = 3100

export async function openHttpDoor(front: FrontOptions, options: HttpDoorOptions): Promise<Door> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, auth, cors, drainMs = DEFAULT_DRAIN_MS } = options
  const { http, metrics, inspector, onAccess, say, hint, resourceServer, onRefusedLogin } = options
  // Imported only when needed: a gateway on stdio does not use HTTP.
  const { serveHttp } = await import('./http.ts')
  const door = await serveHttp({
    ...front,
    // 'localhost' can resolve to ::1 only, but clients also try 127.0.0.1.
    host: host === 'localhost' ? '127.0.0.1' : host,
    port,
    ...defined({ auth, resourceServer, onRefusedLogin, cors, http, metrics, inspector, onAccess }),
  }).catch((error) => {
    throw explainError(error, `${host}:${port}`)
  })
  const hurrying = new AbortController()
  return {
    url: httpUrl(host, door.port, http),
    get sessions() {
      return door.sessions
    },
    readdress: door.readdress,
    dismiss: door.dismiss,
    close(hurry) {
      follow(hurry, hurrying)
      return door.close(drainMs, { hurry: hurrying.signal, say, hint })
    },
  }
}

export function openStdioDoor(front: FrontOptions, options: StreamDoorOptions = {}): Door {
  const { stdin, stdout } = process
  const claim = claimStdout()
  const isReaderGone = watchReader(stdout.fd)
  const streams = { input: stdin, output: stdout, write: claim.write, isReaderGone }
  const door = openStreamDoor({ ...front, kind: 'stdio' }, streams, options)
  void door.closed.then(() => claim.release())
  return { url: 'stdio://', ...door }
}

/** The address of the server without `/mcp`. */
export function httpUrl(host: string, port: number, { tls, basePath = '' }: AddressOptions = {}): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port}${basePath.replace(/\/$/, '')}`
}

/** Explains that the address is in use, the most common error. The new error keeps the code, which programs check. */
function explainError(error: unknown, address: string): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return error
  const message = `${address} is in use by another program. Choose another port (--port, or the option port); 0 takes any free one.`
  return Object.assign(new Error(message, { cause: error }), { code: error.code })
}
