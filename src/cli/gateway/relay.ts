// Connects a client on two byte streams to the shared gateway. If the gateway dies, it is joined again.

import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { createMessageLines, END_OF_INPUT } from '../../core/message-lines.ts'
import { messageOf } from '../../core/text.ts'
import { writeTogether } from '../../core/write-together.ts'
import { createOpenRequests } from './open-requests.ts'

interface RelayOptions {
  readonly input: Readable
  readonly output: Writable
  /** The connection to the gateway, ready for the first message. */
  readonly socket: Socket
  /** Joins the gateway again, after it has died. */
  rejoin(): Promise<Socket>
  say(message: string): void
}

interface Relay {
  /** Resolves with the exit code when the client has all its answers, or when the gateway cannot be joined again. */
  readonly ended: Promise<number>
  /** Ends the input of the client. A second call does not wait for the answers. */
  end(): void
}

/** The gateway enforces the real limit; this only bounds the memory of this process. */
const MAX_LINE_BYTES = 256 * 1024 * 1024

export function startRelay({ input, output, socket: first, rejoin, say }: RelayOptions): Relay {
  const requests = createOpenRequests()
  let socket = first
  let isOver = false
  let finish: (code: number) => void = () => {}
  const ended = new Promise<number>((resolve) => {
    finish = resolve
  })
  const write = (stream: Writable, line: string) => {
    writeTogether(stream)
    return stream.write(`${line}\n`)
  }
  const toClient = (lines: readonly string[]) => {
    for (const line of lines) write(output, line)
  }
  const tooLong = ({ bytes }: { readonly bytes: number }) => say(`skipped a message of ${bytes} bytes`)

  const fromClient = createMessageLines({
    maxBytes: MAX_LINE_BYTES,
    onLine(line) {
      if (!requests.sent(line) || write(socket, line)) return
      input.pause()
      socket.once('drain', () => input.resume())
    },
    onTooLong: tooLong,
  })
  const endInput = () => {
    if (isOver) return void socket.destroy()
    isOver = true
    fromClient.end()
    socket.write(Buffer.of(END_OF_INPUT))
  }
  const attach = (joined: Socket) => {
    socket = joined
    const fromGateway = createMessageLines({
      maxBytes: MAX_LINE_BYTES,
      onLine(line) {
        if (!requests.received(line) || write(output, line)) return
        joined.pause()
        output.once('drain', () => joined.resume())
      },
      onTooLong: tooLong,
    })
    joined.on('data', (chunk: Buffer) => fromGateway.push(chunk))
    // A broken socket also closes.
    joined.on('error', () => {})
    joined.once('close', () => void onClose())
    joined.resume()
  }
  const onClose = async () => {
    if (isOver && requests.size === 0) return finish(0)
    input.pause()
    const { answers, resend } = requests.lost()
    toClient(answers)
    if (isOver) return finish(0)
    say('the shared gateway has ended; starting it again')
    try {
      attach(await rejoin())
    } catch (error) {
      say(`the shared gateway cannot be started again: ${messageOf(error)}`)
      toClient(requests.lost({ isFinal: true }).answers)
      return finish(1)
    }
    for (const line of resend) write(socket, line)
    toClient(requests.news())
    // The client may have closed its input meanwhile.
    if (isOver) socket.write(Buffer.of(END_OF_INPUT))
    else input.resume()
  }

  attach(first)
  input.on('data', (chunk: Buffer) => fromClient.push(chunk)).on('end', endInput)
  output.on('error', () => socket.destroy())
  return { ended, end: endInput }
}
