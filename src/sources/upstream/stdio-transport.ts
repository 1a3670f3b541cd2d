// MCP over the pipes of a process whose whole group ends with the connection.

import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client'
import { isRecord } from '../../core/schema.ts'
import { createFrameReader, idOfCutResponse } from './frames.ts'
import { type ProcessOptions, type ServerProcess, startProcess } from './process.ts'

export interface StdioTransport extends Transport {
  // The SDK takes a transport for stdio where it has these two, and then falls back to `initialize` on silence.
  readonly pid: number | null
  readonly stderr: null
  /** Settles with how the process ended, once it was started and is gone. */
  readonly ended: Promise<string>
}

export interface StdioTransportOptions extends ProcessOptions {
  /** The longest message taken from the server (default 64 MiB). */
  readonly maxFrameBytes?: number
}

const NOT_STARTED = 'The server was not started'
const LAST_WORDS_MS = 1_000
const MAX_FRAME_BYTES = 64 * 1024 * 1024

export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  const { maxFrameBytes = MAX_FRAME_BYTES, ...processOptions } = options
  const { stderr } = options
  let running: Promise<ServerProcess> | undefined
  let server: ServerProcess | undefined
  let reportEnd: (how: string) => void = () => {}
  const ended = new Promise<string>((resolve) => {
    reportEnd = resolve
  })

  const frames = createFrameReader({
    maxBytes: maxFrameBytes,
    onFrame(line) {
      const message = parseMessage(line)
      if (message !== undefined) return transport.onmessage?.(message)
      // Servers that print to stdout are common; what they say is of use when they fail.
      stderr.write(Buffer.from(`${line}\n`))
    },
    onTooLong({ bytes, ...ends }) {
      const id = idOfCutResponse(ends)
      const words = `The server's answer is ${bytes} bytes long; at most ${maxFrameBytes} are taken`
      if (id === undefined) return transport.onerror?.(new Error(words))
      transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_000, message: words } })
    },
  })

  const transport: StdioTransport = {
    ended,
    stderr: null,
    get pid() {
      return server?.pid ?? null
    },
    async start() {
      running ??= startProcess(processOptions)
      server = await running
      server.stdout.on('data', (chunk: Buffer) => frames.push(chunk))
      void server.ended.then((how) => {
        reportEnd(how)
        transport.onclose?.()
      })
    },
    async send(message) {
      const fault = server === undefined ? NOT_STARTED : await write(server.stdin, message)
      if (fault === undefined) return
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
function write(stdin: Writable, message: JSONRPCMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (!stdin.writable) return resolve('The server takes no more input')
    stdin.write(`${JSON.stringify(message)}\n`, (error) => resolve(error?.message))
  })
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
