// The front doors of a server: the stdio of this process, a socket, or an HTTP address.

import { AddressInUse } from '../core/address-in-use.ts'
import { claimStdout } from '../core/claim-stdout.ts'
import { MAX_MESSAGE_BYTES } from '../core/message-lines.ts'
import { errorCode } from '../core/text.ts'
import { addressFaultIn, UnusableAddress } from '../core/unusable-address.ts'
import { withResolvers } from '../core/waiting.ts'
import { DEFAULT_DRAIN_MS, type DrainOptions, drain } from './activity.ts'
import { bracketed, DEFAULT_HOST, DEFAULT_PORT, httpUrl } from './address.ts'
import { serveConnection } from './connection.ts'
import type { FrontOptions } from './front-options.ts'
import type { HttpDoor, HttpOptions } from './http.ts'
import { outliveStderr, watchReader } from './process-stdio.ts'
import type { StopOptions, TransportOptions } from './server-options.ts'
import { createStdioTransport, type StdioOptions } from './stdio-transport.ts'
import { followAnswers } from './unanswered.ts'

/** The fields of `HttpDoor` are set over HTTP only. */
export interface Door extends Partial<Pick<HttpDoor, 'sessions' | 'readdress' | 'dismiss'>> {
  /** `http://localhost:3100`, with the base path if there is one (the MCP endpoint is /mcp), or `stdio://`. */
  readonly url: string
  /** Stdio and sockets only: resolves when no client is left. Call `close` then. */
  readonly left?: Promise<void>
  /** Refuses new calls, waits for calls in flight, then closes. `hurry` ends the wait at once. */
  close(hurry?: AbortSignal): Promise<void>
}

interface DoorLimits extends Pick<DrainOptions, 'say' | 'hint'> {
  /** How long requests in flight may take after the door starts to close. Default: 30 s. */
  readonly drainMs?: number | undefined
}

export interface StreamDoorOptions extends DoorLimits {
  /** The maximum length of a message. Default: 16 MiB. */
  readonly maxMessageBytes?: number | undefined
  /** The name of the client. Default: the kind of the connection. */
  readonly principal?: string | undefined
}

interface Streams extends Pick<StdioOptions, 'input' | 'output' | 'write'> {
  readonly kind: 'stdio' | 'socket'
  /** Whether the client has stopped reading. Checked after the end of the input. */
  isReaderGone(): boolean
}

interface StreamDoor {
  /** Resolves when the input has ended or the connection is closed. Call `close` then. */
  readonly left: Promise<void>
  /** Resolves when the requests in flight are answered and the connection is closed. */
  readonly closed: Promise<void>
  close(hurry?: AbortSignal): Promise<void>
}

interface HttpDoorOptions extends DoorLimits, Omit<HttpOptions, keyof FrontOptions | 'host' | 'port'> {
  readonly host?: string | undefined
  readonly port?: number | undefined
}

export async function openHttpDoor(front: FrontOptions, options: HttpDoorOptions): Promise<Door> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, drainMs = DEFAULT_DRAIN_MS, say, hint, ...others } = options
  // Imported only when needed: a gateway on stdio does not use HTTP.
  const { serveHttp } = await import('./http.ts')
  // 'localhost' can resolve to ::1 only, but clients also try 127.0.0.1.
  const address = host === 'localhost' ? '127.0.0.1' : host
  const door = await serveHttp({ ...front, ...others, host: address, port }).catch((error) => {
    if (errorCode(error) === 'EADDRINUSE') throw new AddressInUse(`${bracketed(host)}:${port}`, { cause: error })
    const fault = addressFaultIn(error)
    throw fault === undefined ? error : new UnusableAddress(fault, host, port, error)
  })
  const hurrying = new AbortController()
  return {
    url: httpUrl(host, door.port, options.http),
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
  const streams = { kind: 'stdio', input: stdin, output: stdout, write: claim.write, isReaderGone } as const
  const door = openStreamDoor(front, streams, options)
  void door.closed.then(() => claim.release())
  return { url: 'stdio://', ...door }
}

/** Opens the door of `createMcpServer` or `wrapServer`. `say` writes a line to stderr. */
export async function openServerDoor(
  transport: 'stdio' | 'http',
  front: FrontOptions,
  { host, port, auth, cors, http, limits }: TransportOptions,
  say: (line: string) => void,
): Promise<Door> {
  if (transport === 'stdio') return openStdioDoor(front, { ...limits, say })
  return openHttpDoor(front, { host, port, auth, cors, http, ...limits, say })
}

/** The door of `createMcpServer` or `wrapServer`. For `wrapServer`, `close` also ends the wrapped server. */
export type ServingDoor = Pick<Door, 'url' | 'close'>

/** Opens a door at `start`, and closes it at `stop`. The signal for `open` aborts if `stop` is called meanwhile. */
export function createDoorControls(
  transport: 'stdio' | 'http',
  { host = DEFAULT_HOST, port = DEFAULT_PORT, http }: TransportOptions,
  open: (signal: AbortSignal) => Promise<ServingDoor>,
) {
  let opening: Promise<ServingDoor> | undefined
  let opened: ServingDoor | undefined
  let closing: ServingDoor | undefined
  let stopping = new AbortController()
  return {
    async start() {
      outliveStderr()
      if (opening === undefined) {
        stopping = new AbortController()
        opening = open(stopping.signal)
      }
      opened = await opening.catch((error) => {
        opening = undefined
        throw error
      })
    },
    async stop({ signal }: StopOptions = {}) {
      stopping.abort()
      // A second call gets the same door, so that the signal of the second call can end the wait of the first.
      const door = (await opening?.catch(() => undefined)) ?? closing
      opening = undefined
      opened = undefined
      closing = door
      await door?.close(signal)
    },
    getUrl: () => opened?.url ?? (transport === 'stdio' ? 'stdio://' : httpUrl(host, port, http)),
    getTransport: () => transport,
  }
}

/** How often to check, after the input has ended, whether the client still reads the output. */
const READER_CHECK_MS = 250

export function openStreamDoor(front: FrontOptions, streams: Streams, options: StreamDoorOptions): StreamDoor {
  const { kind, isReaderGone, ...pair } = streams
  const { drainMs = DEFAULT_DRAIN_MS, maxMessageBytes = MAX_MESSAGE_BYTES, principal, say, hint } = options
  const { activity } = front
  const hurrying = new AbortController()
  const { promise: left, resolve: leave } = withResolvers()
  const { promise: closed, resolve: resolveClosed } = withResolvers()
  const stream = createStdioTransport({
    ...pair,
    maxMessageBytes,
    onEnd: () => {
      unanswered.endInput()
      const checking = setInterval(() => {
        if (isReaderGone()) void stream.close()
      }, READER_CHECK_MS)
      finishing ??= finish({ isAnnounced: false })
      const stopChecking = () => clearInterval(checking)
      finishing.then(stopChecking, stopChecking)
      leave()
    },
  })
  const unanswered = followAnswers(stream)
  const connection = serveConnection({ ...front, transport: unanswered.transport, kind, principal })
  void unanswered.closed.then(leave)

  let finishing: Promise<void> | undefined
  const finish = async ({ isAnnounced }: { readonly isAnnounced: boolean }) => {
    const { signal: hurry } = hurrying
    await drain(activity, unanswered.answered(), { drainMs, hurry, isAnnounced, say, hint })
    unanswered.refuse()
    await connection.close()
    await unanswered.flushed(drainMs, hurry)
    resolveClosed()
  }
  return {
    left,
    closed,
    close(hurry) {
      // After the end of the input no new calls can arrive. The earlier calls are still answered.
      if (finishing === undefined) activity.refuseCalls()
      follow(hurry, hurrying)
      finishing ??= finish({ isAnnounced: true })
      return finishing
    },
  }
}

/** Aborts the controller when the signal aborts. Each call of `close` can have its own signal. */
function follow(signal: AbortSignal | undefined, controller: AbortController): void {
  if (signal?.aborted === true) controller.abort()
  else signal?.addEventListener('abort', () => controller.abort(), { once: true })
}
