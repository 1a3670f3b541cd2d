// MCP over the pipes of a process whose whole group ends with the connection.

import { readSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client'
import { createMessageLines, errorInPlaceOf, MAX_MESSAGE_BYTES } from '../../core/message-lines.ts'
import { isRecord } from '../../core/schema.ts'
import { writeTogether } from '../../core/write-together.ts'
import { type ProcessOptions, type ServerProcess, startProcess } from './process.ts'

export interface StdioTransport extends Transport {
  // The SDK takes a transport for stdio where it has these two, and then falls back to `initialize` on silence.
  readonly pid: number | null
  readonly stderr: null
  /** Settles with how the process ended, once it was started and is gone. */
  readonly ended: Promise<string>
  /** The process has ended and has not read what it was sent, so that is not why it ended. False if that is not known. */
  readonly isUnread: boolean
}

export interface StdioTransportOptions extends ProcessOptions {
  /** The longest message in either direction (16 MiB). */
  readonly maxFrameBytes?: number
  /** Something about the server that its operator should know. */
  onProblem?(reason: string): void
}

const NOT_STARTED = 'The server was not started'
const LAST_WORDS_MS = 1_000
/** A short message takes far more memory than its bytes. */
const MAX_UNREAD = 1_000
/** One millisecond each, once for a process that ends before it has said anything. */
const UNREAD_TRIES = 20
/** JSON-RPC's range for errors of an implementation. */
const TOO_LONG = -32_000
/** The longest part of an invalid line that is kept for error texts. */
const MAX_PRINTED_CHARS = 65_536

export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  const { maxFrameBytes = MAX_MESSAGE_BYTES, onProblem, ...processOptions } = options
  const { stderr } = options
  let running: Promise<ServerProcess> | undefined
  let server: ServerProcess | undefined
  let isUnread = false
  let hasSent = false
  /** Messages that are not in the pipe yet. */
  let unread = 0
  let hasHeard = false
  let reportEnd: (how: string) => void = () => {}
  const ended = new Promise<string>((resolve) => {
    reportEnd = resolve
  })

  const note = (reason: string) => {
    // Where the server fails, this is part of what it printed.
    stderr.write(Buffer.from(`[toolcrib] ${reason}\n`))
    onProblem?.(reason)
  }
  const lines = createMessageLines({
    maxBytes: maxFrameBytes,
    onLine(line) {
      const message = parseMessage(line)
      if (message !== undefined) {
        hasHeard = true
        return transport.onmessage?.(message)
      }
      // Many servers print to stdout by mistake; that text helps when they fail.
      stderr.write(Buffer.from(`${line.slice(-MAX_PRINTED_CHARS)}\n`))
    },
    onOverflow: (bytes) =>
      note(
        `it has sent ${bytes} bytes without a newline; at most ${maxFrameBytes} are read, the rest of the line is skipped`,
      ),
    onTooLong(long) {
      const words = `its message is ${long.bytes} bytes long; at most ${maxFrameBytes} are read`
      note(words)
      const error = errorInPlaceOf(long, { code: TOO_LONG, message: words })
      if (error?.for === 'us') transport.onmessage?.(error.message)
      else if (error !== undefined) transport.send(error.message).catch(() => {})
    },
  })

  const transport: StdioTransport = {
    ended,
    stderr: null,
    get isUnread() {
      return isUnread
    },
    get pid() {
      return server?.pid ?? null
    },
    async start() {
      running ??= startProcess(processOptions)
      server = await running
      const { stdin, stdout } = server
      stdout.on('data', (chunk: Buffer) => {
        lines.push(chunk)
        // A server that asks without end and does not read our answers is not read either, until it takes them.
        if ((unread <= MAX_UNREAD && stdin.writableLength <= maxFrameBytes) || stdout.isPaused()) return
        stdout.pause()
        stdin.once('drain', () => stdout.resume())
      })
      // The last moment: Node closes stdin at the exit event, which follows the end of stdout.
      stdout.once('end', () => {
        if (!hasHeard) isUnread ||= leftUnread(stdin)
      })
      void server.ended.then((how) => {
        reportEnd(how)
        transport.onclose?.()
      })
    },
    async send(message) {
      const text = JSON.stringify(message)
      const bytes = Buffer.byteLength(text)
      if (bytes > maxFrameBytes) {
        const words = `the message to it would be ${bytes} bytes long; at most ${maxFrameBytes} are sent`
        throw new SdkError(SdkErrorCode.SendFailed, words)
      }
      unread++
      const fault = server === undefined ? NOT_STARTED : await write(server.stdin, `${text}\n`)
      unread--
      const isFirst = !hasSent
      hasSent = true
      if (fault === undefined) return
      isUnread ||= isFirst
      // A pipe that breaks is a process that ends: how it ends is better known than why the pipe broke.
      await Promise.race([ended, delay(LAST_WORDS_MS, undefined, { ref: false })])
      throw new SdkError(SdkErrorCode.ConnectionClosed, fault)
    },
    async close() {
      // One that is still being started is ended as soon as it is there.
      const started = await running?.catch(() => undefined)
      await started?.end()
    },
  }
  return transport
}

/** Why it could not be written; undefined once it was. */
function write(stdin: Writable, text: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (!stdin.writable) return resolve('The server takes no more input')
    writeTogether(stdin)
    stdin.write(text, (error) => resolve(error?.message))
  })
}

/**
 * Whether a process that is gone has left input unread. On Linux the pipes of a process are sockets, and reading from one
 * whose other end was closed with data in it gives ECONNRESET instead of an end. Elsewhere there is no way to know.
 */
function leftUnread(stdin: Writable): boolean {
  if (process.platform !== 'linux') return false
  // Not part of Node's documented interface: without it the answer is "not known".
  const handle: unknown = '_handle' in stdin ? stdin._handle : undefined
  const fd: unknown = typeof handle === 'object' && handle !== null && 'fd' in handle ? handle.fd : undefined
  if (typeof fd !== 'number' || fd < 0) return false
  for (let tries = 0; tries < UNREAD_TRIES; tries++) {
    try {
      readSync(fd, Buffer.alloc(1))
      return false
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code !== 'EAGAIN') return code === 'ECONNRESET'
    }
    // The kernel closes the files of a process one after the other, stdout first. Blocks, because an event would be late.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  }
  return false
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const message: unknown = JSON.parse(line)
    if (!isRecord(message) || message.jsonrpc !== '2.0') return undefined
    // The client checks what kind of message it is and reports what it cannot use.
    return message as unknown as JSONRPCMessage
  } catch {
    return undefined
  }
}
