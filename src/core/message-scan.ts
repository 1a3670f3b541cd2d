// Finds the `id` and the kind of a JSON-RPC message that is too long to keep, in constant memory.

import { parseJson } from './json.ts'

export interface MessageScan {
  read(bytes: Uint8Array): void
  readonly id: string | number | undefined
  /** A notification counts as a request. Undefined until a field of the message shows the kind. */
  readonly kind: 'request' | 'response' | undefined
}

const MAX_ID_LENGTH = 256
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]

/** `firstChunks` is the start of the message. */
export function createMessageScan(firstChunks: readonly Uint8Array[] = []): MessageScan {
  let depth = 0
  let isInString = false
  let isEscaped = false
  /** At the top level: the bytes being read, the last key, and whether they are the value after this key. */
  let bytes: number[] = []
  let key: string | undefined
  let isAfterKey = false
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
    if (key === 'id' && isAfterKey) id ??= parseId(text)
    key = undefined
    isAfterKey = false
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
      key = parseText(takeText())
      isAfterKey = true
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

function parseText(text: string): string | undefined {
  const value = parseJson(text)
  return typeof value === 'string' ? value : undefined
}

function parseId(text: string): string | number | undefined {
  const value = parseJson(text)
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}
