// The ways in: this process's stdio, or an HTTP address.

import type { AuthOptions } from './auth.ts'
import { serveConnection } from './connection.ts'
import type { CorsOptions } from './cors.ts'
import { serveHttp } from './http.ts'
import type { FrontOptions } from './protocol-server.ts'
import { createStdioTransport } from './stdio-transport.ts'
import { claimStdout } from './stdout-claim.ts'

export interface Door {
  /** `http://localhost:3100` (MCP is at /mcp under it) or `stdio://`. */
  readonly url: string
  /** Ends whatever this principal has open: over HTTP, where one may lose the right to be here. */
  dismiss?(principal: string): void
  /** Takes no new calls, waits for those under way, then closes. */
  close(): Promise<void>
}

export interface HttpDoorOptions {
  readonly host?: string | undefined
  /** 0 takes any free one. */
  readonly port?: number | undefined
  readonly auth?: AuthOptions | undefined
  readonly cors?: CorsOptions | undefined
}

export const DEFAULT_HOST = 'localhost'
export const DEFAULT_PORT = 3100
const DRAIN_MS = 5_000
const MAX_STDIO_MESSAGE_BYTES = 64 * 1024 * 1024

export async function openHttpDoor(front: FrontOptions, options: HttpDoorOptions): Promise<Door> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, auth, cors } = options
  const door = await serveHttp({
    ...front,
    // 'localhost' may mean ::1 alone; every client that says localhost tries 127.0.0.1.
    host: host === 'localhost' ? '127.0.0.1' : host,
    port,
    ...(auth === undefined ? {} : { auth }),
    ...(cors === undefined ? {} : { cors }),
  }).catch((error) => {
    throw explained(error, `${host}:${port}`)
  })
  return { url: httpUrl(host, door.port), dismiss: door.dismiss, close: () => door.close(DRAIN_MS) }
}

export function openStdioDoor(front: FrontOptions): Door {
  const claim = claimStdout()
  const transport = createStdioTransport({
    input: process.stdin,
    output: process.stdout,
    write: claim.write,
    maxMessageBytes: MAX_STDIO_MESSAGE_BYTES,
  })
  const connection = serveConnection({ ...front, transport, kind: 'stdio' })
  return {
    url: 'stdio://',
    async close() {
      await front.activity.drain(DRAIN_MS)
      // A call that has just ended has yet to hand its answer to the transport.
      await new Promise((resolve) => setImmediate(resolve))
      await connection.close()
      claim.release()
    },
  }
}

export function httpUrl(host: string, port: number): string {
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
}

/** The one thing that goes wrong every day, in words that help; its code stays where programs look for it. */
function explained(error: unknown, address: string): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return error
  const message = `${address} is in use by another program. Choose another port (--port, or the option port); 0 takes any free one.`
  return Object.assign(new Error(message, { cause: error }), { code: error.code })
}
