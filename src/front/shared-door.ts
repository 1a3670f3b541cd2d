// The front door of a shared gateway: each client has a socket, which its relay process connects to stdin and stdout.

import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { END_OF_INPUT, endsInput } from '../core/message-lines.ts'
import { withResolvers } from '../core/waiting.ts'
import { createActivity } from './activity.ts'
import { type Door, openStreamDoor, type StreamDoorOptions } from './doors.ts'
import type { FrontOptions } from './front-options.ts'

export interface SharedDoor extends Door {
  /** The names of the connected clients. */
  readonly clients: readonly string[]
  /** Serves this client. Returns false if the door is closing. */
  join(socket: Socket, client: string): boolean
}

interface SharedDoorOptions extends Omit<StreamDoorOptions, 'principal'> {
  /** How long to stay open without a client. */
  readonly idleMs: number
}

/** The client that started the gateway needs a moment to join. */
const FIRST_CLIENT_MS = 10_000
/** Above this limit, the gateway reads no more from a client until the client reads its answers. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024

export function openSharedDoor(front: FrontOptions, { idleMs, ...options }: SharedDoorOptions): SharedDoor {
  const connections = new Map<Socket, { readonly client: string; close(hurry?: AbortSignal): Promise<void> }>()
  let isClosing = false
  const { promise: left, resolve } = withResolvers()
  const leave = () => {
    // Set at once: a client that joins now must start the next gateway.
    isClosing = true
    resolve()
  }
  let idleTimer = setTimeout(leave, Math.max(idleMs, FIRST_CLIENT_MS))
  const forget = (socket: Socket) => {
    connections.delete(socket)
    if (connections.size > 0 || isClosing) return
    clearTimeout(idleTimer)
    idleTimer = setTimeout(leave, idleMs)
  }
  return {
    url: 'socket://',
    left,
    get clients() {
      return [...connections.values()].map(({ client }) => client)
    },
    join(socket, client) {
      if (isClosing) return false
      clearTimeout(idleTimer)
      const isReaderGone = () => socket.destroyed
      const streams = { kind: 'socket', input: inputOf(socket), output: socket, isReaderGone } as const
      // Each client has its own activity: when one leaves, the calls of the others go on.
      const own = { ...front, activity: createActivity() }
      const door = openStreamDoor(own, streams, { ...options, principal: client })
      connections.set(socket, { client, close: door.close })
      void door.left.then(() => door.close())
      void door.closed.then(() => {
        // The byte tells the relay process that its connection ends on purpose. Without the byte, the relay process
        // starts a new gateway.
        socket.end(Buffer.of(END_OF_INPUT))
        forget(socket)
      })
      return true
    },
    async close(hurry) {
      isClosing = true
      clearTimeout(idleTimer)
      await Promise.all([...connections.values()].map((connection) => connection.close(hurry)))
    },
  }
}

/** The bytes that the client sends, until its input ends or its process has ended. */
function inputOf(socket: Socket): PassThrough {
  const input = new PassThrough()
  socket
    .on('data', (chunk: Buffer) => {
      if (input.writableEnded) return
      if (endsInput(chunk)) input.end(chunk.subarray(0, -1))
      else input.write(chunk)
      if (socket.writableLength <= MAX_UNREAD_BYTES) return
      socket.pause()
      socket.once('drain', () => socket.resume())
    })
    .on('close', () => input.end())
  return input
}
