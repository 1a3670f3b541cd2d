// Serves one client over a pair of byte streams: the stdio of this process, or a socket.

import type { Readable, Writable } from 'node:stream'
import { MAX_MESSAGE_BYTES } from '../core/message-lines.ts'
import { withResolvers } from '../core/waiting.ts'
import { serveConnection } from './connection.ts'
import { DEFAULT_DRAIN_MS, drain } from './drain.ts'
import type { FrontOptions } from './front-options.ts'
import { createStdioTransport } from './stdio-transport.ts'
import { followAnswers } from './unanswered.ts'

export interface DoorLimits {
  /** How long requests in flight may take after the door starts to close. Default: 30 s. */
  readonly drainMs?: number | undefined
  /** Called with messages about requests that are waited for and requests that are cancelled. */
  readonly say?: ((message: string) => void) | undefined
  /** Appended to the message about requests that are waited for. */
  readonly hint?: string | undefined
}

export interface StreamDoorOptions extends DoorLimits {
  /** The maximum length of a message. Default: 16 MiB. */
  readonly maxMessageBytes?: number | undefined
  /** The name of the client. Default: the kind of the connection. */
  readonly principal?: string | undefined
}

interface Streams {
  readonly input: Readable
  readonly output: Writable
  /** The original `write` of stdout, if `output.write` sends the output of other code to stderr. */
  readonly write?: Writable['write']
  /** Whether the client has stopped reading. Checked after the end of the input. */
  isReaderGone(): boolean
}

interface StreamFront extends FrontOptions {
  readonly kind: 'stdio' | 'socket'
}

interface StreamDoor {
  /** Resolves when the input has ended or the connection is closed. Call `close` then. */
  readonly left: Promise<void>
  /** Resolves when the requests in flight are answered and the connection is closed. */
  readonly closed: Promise<void>
  close(hurry?: AbortSignal): Promise<void>
}

/** How often to check, after the input has ended, whether the client still reads the output. */
const READER_CHECK_MS = 250

export function openStreamDoor(
  { kind, ...front }: StreamFront,
  streams: Streams,
  options: StreamDoorOptions,
): StreamDoor {
  const { isReaderGone, ...pair } = streams
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
      finishing ??= finish({ isAnnounced: false }).finally(() => clearInterval(checking))
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
export function follow(signal: AbortSignal | undefined, controller: AbortController): void {
  if (signal?.aborted === true) controller.abort()
  else signal?.addEventListener('abort', () => controller.abort(), { once: true })
}
