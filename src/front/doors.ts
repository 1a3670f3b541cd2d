// The front doors of a server: the stdio of this process, or an HTTP address.

import { MAX_MESSAGE_BYTES } from '../core/message-lines.ts'
import type { AuthOptions } from './auth.ts'
import { serveConnection } from './connection.ts'
import type { CorsOptions } from './cors.ts'
import { DEFAULT_DRAIN_MS, drain } from './drain.ts'
import type { FrontOptions } from './front-options.ts'
import { watchReader } from './output-reader.ts'
import { createStdioTransport } from './stdio-transport.ts'
import { claimStdout } from './stdout-claim.ts'
import { followAnswers } from './unanswered.ts'

export interface Door {
  /** `http://localhost:3100` (the MCP endpoint is /mcp) or `stdio://`. */
  readonly url: string
  /** Closes all sessions and responses of a principal. HTTP only, where a token can be revoked. */
  dismiss?(principal: string): void
  /**
   * Stdio only: resolves when the client has closed its end. The door then finishes the requests in flight and closes.
   */
  readonly left?: Promise<void>
  /** Refuses new calls, waits for calls in flight, then closes. `hurry` ends the wait at once. */
  close(hurry?: AbortSignal): Promise<void>
}

interface DoorLimits {
  /** How long requests in flight may take after the door starts to close. Default: 30 s. */
  readonly drainMs?: number | undefined
  /** Called with messages about requests that are waited for and requests that are cancelled. */
  readonly say?: ((message: string) => void) | undefined
  /** Appended to the message about requests that are waited for. */
  readonly hint?: string | undefined
}

interface HttpDoorOptions extends DoorLimits {
  readonly host?: string | undefined
  /** 0 takes any free port. */
  readonly port?: number | undefined
  readonly auth?: AuthOptions | undefined
  readonly cors?: CorsOptions | undefined
}

interface StdioDoorOptions extends DoorLimits {
  /** The maximum length of a message. Default: 16 MiB. */
  readonly maxMessageBytes?: number | undefined
}

export const DEFAULT_HOST = 'localhost'
export const DEFAULT_PORT = 3100
/** How often to check, after the input has ended, whether the client still reads the output. */
const READER_CHECK_MS = 250

export async function openHttpDoor(front: FrontOptions, options: HttpDoorOptions): Promise<Door> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, auth, cors, drainMs = DEFAULT_DRAIN_MS, say, hint } = options
  // Imported only when needed: a gateway on stdio does not use HTTP.
  const { serveHttp } = await import('./http.ts')
  const door = await serveHttp({
    ...front,
    // 'localhost' can resolve to ::1 only, but clients also try 127.0.0.1.
    host: host === 'localhost' ? '127.0.0.1' : host,
    port,
    ...(auth === undefined ? {} : { auth }),
    ...(cors === undefined ? {} : { cors }),
  }).catch((error) => {
    throw explained(error, `${host}:${port}`)
  })
  const hurrying = new AbortController()
  return {
    url: httpUrl(host, door.port),
    dismiss: door.dismiss,
    close(hurry) {
      follow(hurry, hurrying)
      return door.close(drainMs, { hurry: hurrying.signal, say, hint })
    },
  }
}

export function openStdioDoor(front: FrontOptions, options: StdioDoorOptions = {}): Door {
  const { drainMs = DEFAULT_DRAIN_MS, maxMessageBytes = MAX_MESSAGE_BYTES, say, hint } = options
  const { activity } = front
  const hurrying = new AbortController()
  let leave = () => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const claim = claimStdout()
  const stdio = createStdioTransport({
    input: process.stdin,
    output: process.stdout,
    write: claim.write,
    maxMessageBytes,
    onEnd: () => {
      unanswered.endInput()
      const checking = setInterval(() => {
        if (isReaderGone()) void stdio.close()
      }, READER_CHECK_MS)
      finishing ??= finish({ announced: false }).finally(() => clearInterval(checking))
      leave()
    },
  })
  const isReaderGone = watchReader(process.stdout.fd)
  const unanswered = followAnswers(stdio)
  const connection = serveConnection({ ...front, transport: unanswered.transport, kind: 'stdio' })
  void unanswered.closed.then(leave)

  let finishing: Promise<void> | undefined
  const finish = async ({ announced }: { readonly announced: boolean }) => {
    const { signal: hurry } = hurrying
    await drain(activity, unanswered.answered(), { drainMs, hurry, announced, say, hint })
    unanswered.refuse()
    await connection.close()
    await unanswered.flushed(drainMs, hurry)
    claim.release()
  }
  return {
    url: 'stdio://',
    left,
    close(hurry) {
      // After the end of the input no new calls can arrive. The earlier calls are still answered.
      if (finishing === undefined) activity.refuseCalls()
      follow(hurry, hurrying)
      finishing ??= finish({ announced: true })
      return finishing
    },
  }
}

export function httpUrl(host: string, port: number): string {
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
}

/** Each call of `close` can have its own signal. */
function follow(signal: AbortSignal | undefined, controller: AbortController): void {
  if (signal?.aborted === true) controller.abort()
  else signal?.addEventListener('abort', () => controller.abort(), { once: true })
}

/** Explains the most common error. Programs still find its code. */
function explained(error: unknown, address: string): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return error
  const message = `${address} is in use by another program. Choose another port (--port, or the option port); 0 takes any free one.`
  return Object.assign(new Error(message, { cause: error }), { code: error.code })
}
