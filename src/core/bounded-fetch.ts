// A `fetch` for MCP servers that limits the size of messages, and how many answers can wait until a server accepts them.

import type { Transformer, TransformStreamDefaultController } from 'node:stream/web'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createByteBuffer } from './byte-buffer.ts'
import { MAX_MESSAGE_BYTES } from './message-lines.ts'

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const LF = 10
const CR = 13
/** The maximum number of sent answers that the server has not accepted yet. Each of them keeps a connection open. */
const MAX_OPEN_ANSWERS = 100
/** A chunk can have thousands of short events. After this many lines, other connections are served first. */
const MAX_LINES_AT_ONCE = 32

/** Returns a `fetch` that limits each sent message and each response. In an event stream, it limits each event. */
export function createBoundedFetch(maxBytes = MAX_MESSAGE_BYTES): Fetch {
  let openAnswers = 0
  return async (url, init) => {
    checkSize(init?.body, maxBytes)
    const answers = isAnswer(init?.body) ? 1 : 0
    if (answers > 0 && openAnswers >= MAX_OPEN_ANSWERS) {
      throw new Error(`it has not accepted ${openAnswers} answers to its requests; no more are sent`)
    }
    openAnswers += answers
    const response = await fetch(url, init).finally(() => {
      openAnswers -= answers
    })
    const { body, status, statusText, headers } = response
    if (body === null) return response
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
    const limited = body.pipeThrough(new TransformStream(isStream ? limitEvents(maxBytes) : limitDocument(maxBytes)))
    // A new Response has no URL, so the URL is copied.
    return Object.defineProperty(new Response(limited, { status, statusText, headers }), 'url', { value: response.url })
  }
}

function checkSize(body: unknown, maxBytes: number): void {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : 0
  if (bytes > maxBytes) throw new Error(`the message to it would be ${bytes} bytes long; at most ${maxBytes} are sent`)
}

/** Requests and notifications have a `method`. A JSON string cannot contain `"method":`: its quotes are escaped. */
function isAnswer(body: unknown): boolean {
  return typeof body === 'string' && !body.includes('"method":')
}

type ByteTransformer = Transformer<Uint8Array, Uint8Array>

// `limitDocument` and `limitEvents` join small chunks into larger ones, because the consumer keeps an object per chunk.

function limitDocument(maxBytes: number): ByteTransformer {
  const document = createByteBuffer(maxBytes)
  return {
    transform(chunk, controller) {
      if (!document.append(chunk)) controller.error(tooLong(document.length + chunk.length, maxBytes))
    },
    flush(controller) {
      controller.enqueue(document.join())
    },
  }
}

/** Limits each event, which ends with a blank line. Passes on whole lines only. A line ends with CR, LF or both. */
function limitEvents(maxBytes: number): ByteTransformer {
  /** The start of a line that has not ended yet. */
  const unfinished = createByteBuffer(maxBytes)
  let eventBytes = 0
  /** Whether the current line has no characters so far. */
  let isBlank = true
  let before = 0
  /** Counts the bytes of events. Returns the end of the last whole line, and the size of the largest event. */
  const count = (chunk: Uint8Array) => {
    let end = 0
    let largest = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      eventBytes++
      if (eventBytes > largest) largest = eventBytes
      if (byte === LF || byte === CR) {
        end = at + 1
        // The LF of a CRLF belongs to the line that the CR has ended.
        const isSecondHalf = byte === LF && before === CR
        if (isBlank && !isSecondHalf) eventBytes = 0
        isBlank = true
      } else isBlank = false
      before = byte
    }
    return { end, largest }
  }
  return {
    transform(chunk, controller) {
      const { end, largest } = count(chunk)
      if (largest > maxBytes) return controller.error(tooLong(largest, maxBytes))
      if (end > 0) {
        if (unfinished.length > 0) controller.enqueue(unfinished.join().slice())
        unfinished.clear()
      }
      unfinished.append(chunk.subarray(end))
      return passInParts(chunk.subarray(0, end), controller)
    },
    flush(controller) {
      if (unfinished.length > 0) controller.enqueue(unfinished.join())
    },
  }
}

/** Passes on `MAX_LINES_AT_ONCE` lines at a time. Returns a promise only if there is more than one part. */
function passInParts(
  bytes: Uint8Array,
  controller: TransformStreamDefaultController<Uint8Array>,
): Promise<void> | undefined {
  const end = endOfPart(bytes)
  if (end > 0) controller.enqueue(bytes.subarray(0, end))
  if (end === bytes.length) return undefined
  return nextTurn().then(() => passInParts(bytes.subarray(end), controller))
}

/** Counts CR and LF each as the end of a line, so a part with CRLF has half as many lines. */
function endOfPart(bytes: Uint8Array): number {
  let lines = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== LF && bytes[at] !== CR) continue
    lines++
    if (lines === MAX_LINES_AT_ONCE) return at + 1
  }
  return bytes.length
}

function tooLong(bytes: number, maxBytes: number): Error {
  return new Error(`it has sent a message of ${bytes} bytes or more; at most ${maxBytes} are read`)
}
