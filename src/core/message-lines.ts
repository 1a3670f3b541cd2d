// Splits a byte stream into lines, one JSON-RPC message each. Skips a line over the limit, and finds its id and kind.

import { createByteBuffer, freeBytes } from './byte-buffer.ts'
import { parseJson } from './json.ts'

/** The longest message in either direction, unless the configuration sets another limit. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/**
 * On the socket of a shared gateway, each side sends this byte after its last message. A client that has sent it can
 * still read answers. JSON text does not contain this byte.
 */
export const END_OF_INPUT = 0x04

/**
 * Whether the chunk is only `END_OF_INPUT`, or ends with a newline and `END_OF_INPUT`. Anywhere else, the byte is part
 * of an invalid message.
 */
export function endsInput(chunk: Uint8Array): boolean {
  return chunk.at(-1) === END_OF_INPUT && (chunk.length === 1 || chunk.at(-2) === NEWLINE)
}

/** The size of a message over the limit and, if they were found, its id and kind. */
export interface LongMessage extends Pick<MessageScan, 'id' | 'kind'> {
  readonly bytes: number
}

interface MessageLinesOptions {
  readonly maxBytes: number
  onLine(line: string): void
  /** Called once for a line over the limit, as soon as it exceeds the limit. The line may never end. */
  onOverflow?(bytes: number): void
  /** Called at the end of a line that exceeded the limit. */
  onTooLong(message: LongMessage): void
}

interface MessageLines {
  /** The caller must not use the chunk afterwards. */
  push(chunk: Uint8Array): void
  /** Marks the end of the stream: the last line may lack its newline. */
  end(): void
  /** Drops the unfinished line. */
  clear(): void
}

const NEWLINE = 0x0a
const NO_BYTES = new Uint8Array(0)

export function createMessageLines({ maxBytes, onLine, onOverflow, onTooLong }: MessageLinesOptions): MessageLines {
  const unfinished = createByteBuffer(maxBytes)
  /** The length of the current line so far. */
  let bytes = 0
  /** Set while the current line is over the limit. */
  let scan: MessageScan | undefined

  const add = (part: Uint8Array) => {
    bytes += part.length
    if (scan === undefined && unfinished.append(part)) return
    const isFirst = scan === undefined
    scan ??= createMessageScan(unfinished.segments)
    unfinished.clear()
    scan.read(part)
    if (isFirst) onOverflow?.(bytes)
  }
  const clear = () => {
    unfinished.clear()
    bytes = 0
    scan = undefined
  }
  const endLine = (part: Uint8Array) => {
    add(part)
    const text = scan === undefined ? bufferOf(unfinished.join()).toString('utf8').trim() : ''
    const long = scan === undefined ? undefined : { bytes, id: scan.id, kind: scan.kind }
    clear()
    if (long !== undefined) onTooLong(long)
    else if (text !== '') onLine(text)
  }

  return {
    clear,
    end: () => endLine(NO_BYTES),
    push(chunk) {
      const buffer = bufferOf(chunk)
      let from = 0
      for (let at = buffer.indexOf(NEWLINE); at >= 0; at = buffer.indexOf(NEWLINE, from)) {
        const start = from
        from = at + 1
        // Most lines arrive in one chunk. They need no copy.
        if (bytes === 0 && at - start <= maxBytes) {
          const text = buffer.toString('utf8', start, at).trim()
          if (text !== '') onLine(text)
        } else endLine(chunk.subarray(start, at))
      }
      if (from < chunk.length) add(chunk.subarray(from))
      freeBytes(chunk)
    },
  }
}

interface ErrorMessage {
  readonly jsonrpc: '2.0'
  readonly id: string | number
  readonly error: { readonly code: number; readonly message: string }
}

/**
 * The error that replaces a long message. It goes to the side that waits for a response: `us` or `them`. Undefined if
 * the id or the kind of the message is unknown.
 */
export function errorInPlaceOf(
  { id, kind }: LongMessage,
  error: ErrorMessage['error'],
): { readonly for: 'us' | 'them'; readonly message: ErrorMessage } | undefined {
  if (id === undefined || kind === undefined) return undefined
  return { for: kind === 'response' ? 'us' : 'them', message: { jsonrpc: '2.0', id, error } }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

interface MessageScan {
  read(bytes: Uint8Array): void
  readonly id: string | number | undefined
  /** A notification counts as a request. Undefined until a field of the message shows the kind. */
  readonly kind: 'request' | 'response' | undefined
}

const MAX_ID_LENGTH = 256
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Finds the id and the kind of a message in constant memory. `firstChunks` is the start of the message. */
export function createMessageScan(firstChunks: readonly Uint8Array[] = []): MessageScan {
  let depth = 0
  let isInString = false
  let isEscaped = false
  /** At the top level: the bytes of the key or value that is being read, and the key of that value. */
  let bytes: number[] = []
  let key: string | undefined
  let id: string | number | undefined
  let kind: MessageScan['kind']
  /** The text is not an object, so it has no id. */
  let isNotAnObject = false

  const takeText = () => {
    const text = Buffer.from(bytes).toString('utf8').trim()
    bytes = []
    return text
  }
  const endValue = () => {
    const text = takeText()
    if (key === 'id') id ??= parseId(text)
    key = undefined
  }
  const step = (byte: number) => {
    if (depth === 0 && byte > 0x20 && byte !== OPEN_BRACE) isNotAnObject = true
    // Keeps the bytes of a key or a value at the top level. A comma or a colon belongs to them only inside a string.
    const isSeparator = (byte === COMMA || byte === COLON) && !isInString
    if (depth === 1 && !isSeparator && bytes.length < MAX_ID_LENGTH) bytes.push(byte)
    if (isInString) {
      if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) isInString = false
      return
    }
    if (byte === QUOTE) isInString = true
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++
      if (depth === 1) bytes = []
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 1) {
        bytes.pop()
        endValue()
      }
      depth--
    } else if (depth === 1 && byte === COLON) {
      const text = parseJson(takeText())
      key = typeof text === 'string' ? text : undefined
      if (key === 'method') kind ??= 'request'
      else if (key === 'result' || key === 'error') kind ??= 'response'
    } else if (depth === 1 && byte === COMMA) endValue()
  }
  const read = (chunk: Uint8Array) => {
    for (let i = 0; i < chunk.length && !isNotAnObject; i++) {
      if (isInString && depth !== 1 && !isEscaped) i = endOfPlain(chunk, i)
      const byte = chunk[i]
      if (byte !== undefined) step(byte)
    }
  }
  firstChunks.forEach(read)
  return {
    read,
    get id() {
      return id
    },
    get kind() {
      return kind
    },
  }
}

/**
 * Skips plain text inside a string, which is most of a long message. Reads each byte once, so that the time stays
 * linear for a text full of escapes.
 */
function endOfPlain(chunk: Uint8Array, start: number): number {
  let at = start
  while (at < chunk.length && chunk[at] !== QUOTE && chunk[at] !== BACKSLASH) at++
  return at
}

function parseId(text: string): string | number | undefined {
  const value = parseJson(text)
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}
