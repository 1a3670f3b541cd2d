// Passes messages between the shared gateway and a client on stdin and stdout. If the gateway ends, joins a new one.

import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { createMessageLines, END_OF_INPUT, endsInput } from '../../core/message-lines.ts'
import { messageOf } from '../../core/text.ts'
import { withResolvers } from '../../core/waiting.ts'
import { joinWrites } from '../../core/write-together.ts'
import { createOpenRequests } from './open-requests.ts'

interface RelayOptions {
  readonly input: Readable
  readonly output: Writable
  /** The connection to the gateway, ready for the first message. */
  readonly socket: Socket
  /** Starts the gateway again if necessary, and joins it. */
  rejoin(): Promise<Socket>
  say(message: string): void
}

interface Relay {
  /** Resolves with the exit code when the client has all its answers, or when no gateway can be joined. */
  readonly ended: Promise<number>
  /** Ends the input of the client. A second call does not wait for the answers. */
  end(): void
}

/** The gateway enforces the real limit; this only bounds the memory of this process. */
const MAX_LINE_BYTES = 256 * 1024 * 1024

const MAX_RESTARTS = 5
const RESTART_WINDOW_MS = 60_000

export function startRelay({ input, output, socket: first, rejoin, say }: RelayOptions): Relay {
  const requests = createOpenRequests()
  let socket = first
  /** True if there will be no more requests: the client or the gateway has sent its last message. */
  let isOver = false
  /** The times within the restart window at which a gateway was lost. */
  let lostAt: readonly number[] = []
  const { promise: ended, resolve: finish } = withResolvers<number>()
  /** Pauses `from` while the buffer of `to` is full. */
  const pass = (line: string, from: Readable, to: Writable) => {
    joinWrites(to)
    // One chunk can have many lines: the first of them that fills the buffer has paused `from`.
    if (to.write(`${line}\n`) || from.isPaused()) return
    from.pause()
    to.once('drain', () => from.resume())
  }
  const toClient = (lines: readonly string[]) => {
    for (const line of lines) pass(line, socket, output)
  }
  const linesTo = (onLine: (line: string) => void) =>
    createMessageLines({
      maxBytes: MAX_LINE_BYTES,
      onLine,
      onTooLong: ({ bytes }) => say(`skipped a message of ${bytes} bytes`),
    })

  const fromClient = linesTo((line) => {
    const message = requests.passFromClient(line)
    if (message !== undefined) pass(message, input, socket)
  })
  const endInput = () => {
    if (isOver) return void socket.destroy()
    isOver = true
    fromClient.end()
    socket.write(Buffer.of(END_OF_INPUT))
  }
  const attach = (joined: Socket) => {
    socket = joined
    const fromGateway = linesTo((line) => {
      const message = requests.passFromGateway(line)
      if (message !== undefined) pass(message, joined, output)
    })
    joined.on('data', (chunk: Buffer) => {
      const isLast = endsInput(chunk)
      // The gateway was told to stop. A gateway that crashes does not send this byte.
      if (isLast) isOver = true
      fromGateway.push(isLast ? chunk.subarray(0, -1) : chunk)
    })
    // 'close' follows every 'error'.
    joined.on('error', () => {})
    joined.once('close', () => void onClose())
    joined.resume()
  }
  const onClose = async () => {
    input.pause()
    const lost = requests.onGatewayLost({ isFinal: isOver })
    toClient(lost.toClient)
    if (isOver) return finish(0)
    say('the shared gateway has ended; starting it again')
    lostAt = [...lostAt.filter((time) => time > Date.now() - RESTART_WINDOW_MS), Date.now()]
    try {
      if (lostAt.length > MAX_RESTARTS) throw new Error(`it has ended ${lostAt.length} times within a minute`)
      attach(await rejoin())
    } catch (error) {
      say(`the shared gateway cannot be started again: ${messageOf(error)}`)
      toClient(requests.onGatewayLost({ isFinal: true }).toClient)
      return finish(1)
    }
    for (const line of lost.toGateway) pass(line, input, socket)
    toClient(requests.messagesAfterRejoin())
    // The client may have closed its input meanwhile.
    if (isOver) socket.write(Buffer.of(END_OF_INPUT))
    else input.resume()
  }

  attach(first)
  input.on('data', (chunk: Buffer) => fromClient.push(chunk)).on('end', endInput)
  output.on('error', () => {
    // The client no longer reads its answers, so it cannot be served.
    isOver = true
    socket.destroy()
  })
  return { ended, end: endInput }
}
