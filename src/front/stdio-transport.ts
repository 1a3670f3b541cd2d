// A stdio transport: one message per line. Unlike the SDK's, it stays open after a line that is too long.

import type { Readable, Writable } from 'node:stream'
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { jsonOf } from '../core/encoded-message.ts'
import { isRecord } from '../core/is-record.ts'
import { createMessageLines, errorInPlaceOf } from '../core/message-lines.ts'
import { createJoinedWriter } from '../core/write-together.ts'

export interface StdioOptions {
  readonly input: Readable
  readonly output: Writable
  /** The original `write` of stdout, if `output.write` sends the output of other code to stderr. */
  readonly write?: Writable['write']
  readonly maxMessageBytes: number
  /** Called after the last line when the input has ended. Without this function, the connection closes. */
  onEnd?(): void
}

const INVALID_REQUEST = -32600

/** A line that is too long is skipped and refused. An invalid message gets an error response if it has an id. */
export function createStdioTransport(options: StdioOptions): Transport {
  const { input, output, maxMessageBytes, onEnd, write = output.write.bind(output) } = options
  const limit = `at most ${maxMessageBytes} are read`
  const writer = createJoinedWriter((text, done) => write(text, done))
  let isClosed = false

  const lines = createMessageLines({
    maxBytes: maxMessageBytes,
    onLine(line) {
      if (!isClosed) receive(line)
    },
    onOverflow: (bytes) => fail(new Error(`The client has sent ${bytes} bytes without a newline; ${limit}`)),
    onTooLong(long) {
      if (isClosed) return
      const message = `The message is ${long.bytes} bytes long; ${limit}`
      fail(new Error(message))
      const error = errorInPlaceOf(long, { code: INVALID_REQUEST, message })
      // If an answer of the client is too long, the request that waits for it fails.
      if (error?.for === 'us') transport.onmessage?.(error.message)
      else if (error !== undefined) transport.send(error.message).catch(fail)
    },
  })
  const receive = (line: string) => {
    let value: unknown
    try {
      value = JSON.parse(line)
      transport.onmessage?.(isPlainMessage(value) ? value : parseJSONRPCMessage(value))
    } catch (error) {
      refuse(idOfRequest(value), `This is not a valid JSON-RPC message: ${reasonOf(error)}`)
    }
  }
  const refuse = (id: unknown, message: string) => {
    transport.onerror?.(new Error(message))
    if (typeof id !== 'string' && typeof id !== 'number') return
    transport.send({ jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } }).catch(fail)
  }
  const onData = (chunk: Buffer) => lines.push(chunk)
  const fail = (error: Error) => transport.onerror?.(error)
  const closeTransport = () => void transport.close()
  let isOver = false
  const onInputEnd = () => {
    if (isOver || isClosed) return
    isOver = true
    // The last line may have no line break.
    lines.end()
    if (onEnd === undefined) closeTransport()
    else onEnd()
  }
  const onBroken = (error: Error) => {
    // The listener stays after the close, because pending writes fail later.
    if (isClosed) return
    fail(new Error(`The client no longer reads messages (${error.message}); its calls are cancelled.`))
    closeTransport()
  }

  const transport: Transport = {
    async start() {
      input.on('data', onData).on('error', fail).on('end', onInputEnd).on('close', onInputEnd)
      output.on('error', onBroken)
      if (input.readableEnded || input.destroyed) setImmediate(onInputEnd)
    },
    send(message: JSONRPCMessage) {
      if (isClosed) return Promise.reject(new Error('The connection is closed.'))
      // Uses the write callback instead of a listener per message: a slow reader can keep many messages waiting, and
      // Node warns about more than ten listeners.
      return new Promise((resolve, reject) => {
        writer.post(`${jsonOf(message)}\n`, (error) => (error ? reject(error) : resolve()))
      })
    },
    async close() {
      if (isClosed) return
      isClosed = true
      writer.flush()
      input.off('data', onData).off('error', fail).off('end', onInputEnd).off('close', onInputEnd)
      input.pause()
      lines.clear()
      transport.onclose?.()
    },
  }
  return transport
}

/** A fast check for the most common messages. Other messages are checked with the SDK's schema. */
function isPlainMessage(value: unknown): value is JSONRPCMessage {
  if (!isRecord(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string') return false
  for (const key in value) if (!FIELDS.has(key)) return false
  const { id, params } = value
  if ('id' in value && typeof id !== 'string' && !Number.isSafeInteger(id)) return false
  return params === undefined || (isRecord(params) && params._meta === undefined)
}

const FIELDS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])

function idOfRequest(value: unknown): unknown {
  return isRecord(value) && !('result' in value) && !('error' in value) ? value.id : undefined
}

function reasonOf(error: unknown): string {
  return error instanceof SyntaxError ? 'it is not JSON' : 'a field is missing or of the wrong type'
}
