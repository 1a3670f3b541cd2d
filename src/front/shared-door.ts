// The front door of a shared gateway: each client has a socket, which its own relay process connects to stdin and stdout.

import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { END_OF_INPUT } from '../core/message-lines.ts'
import { createActivity } from './activity.ts'
import type { Door } from './doors.ts'
import type { FrontOptions } from './front-options.ts'
import { openStreamDoor, type StreamDoorOptions } from './stream-door.ts'

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

export function openSharedDoor(front: FrontOptions, { idleMs, ...options }: SharedDoorOptions): SharedDoor {
  const connections = new Map<Socket, { readonly client: string; close(hurry?: AbortSignal): Promise<void> }>()
  let isClosing = false
  let leave = () => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  let idle = setTimeout(leave, idleMs)
  const forget = (socket: Socket) => {
    connections.delete(socket)
    if (connections.size > 0 || isClosing) return
    clearTimeout(idle)
    idle = setTimeout(leave, idleMs)
  }
  return {
    url: 'socket://',
    left,
    get clients() {
      return [...connections.values()].map(({ client }) => client)
    },
    join(socket, client) {
      if (isClosing) return false
      clearTimeout(idle)
      const streams = { input: inputOf(socket), output: socket, isReaderGone: () => socket.destroyed }
      // Each client has its own activity: when one leaves, the calls of the others go on.
      const door = openStreamDoor({ ...front, activity: createActivity(), kind: 'socket' }, streams, {
        ...options,
        principal: client,
      })
      connections.set(socket, { client, close: door.close })
      void door.left.then(() => door.close())
      void door.closed.then(() => {
        // Tells the client that this is the end. If the gateway dies, the byte is missing and the client starts it again.
        socket.end(Buffer.of(END_OF_INPUT))
        forget(socket)
      })
      return true
    },
    async close(hurry) {
      isClosing = true
      clearTimeout(idle)
      await Promise.all([...connections.values()].map((connection) => connection.close(hurry)))
    },
  }
}

/** The bytes of the client until the end of its input, or until its process has ended. */
function inputOf(socket: Socket): PassThrough {
  const input = new PassThrough()
  socket
    .on('data', (chunk: Buffer) => {
      if (input.writableEnded) return
      if (chunk.at(-1) === END_OF_INPUT) input.end(chunk.subarray(0, -1))
      else input.write(chunk)
    })
    .on('close', () => input.end())
  return input
}
