// Reads the output of a server in parts, so that a server that sends many messages at once does not delay the others.

import type { Readable } from 'node:stream'

interface TurnsOptions {
  /** Takes bytes of the stream. It may keep them, because they are not used again here. */
  take(bytes: Uint8Array): void
  /** True if nothing more may be read for now. */
  isBlocked(): boolean
  /** Calls the function once when reading may go on. Only used while `isBlocked` is true. */
  onFree(resume: () => void): void
}

/** A part has at most this many lines. A chunk can have thousands of messages, and each can take 0.1 ms of work. */
const MAX_LINES = 16
const NEWLINE = 0x0a

export function readInTurns(stream: Readable, { take, isBlocked, onFree }: TurnsOptions) {
  let rest: Uint8Array | undefined

  const takePart = (bytes: Uint8Array) => {
    const end = endOfLines(bytes, MAX_LINES)
    rest = end < bytes.length ? bytes.subarray(end) : undefined
    take(rest === undefined ? bytes : bytes.subarray(0, end))
  }
  const continueReading = () => {
    if (rest !== undefined && !isBlocked()) takePart(rest)
    scheduleNext()
  }
  /** Takes the next part later, so that other connections are served before it. */
  const scheduleNext = () => {
    if (isBlocked()) onFree(continueReading)
    else if (rest !== undefined) setImmediate(continueReading)
    else if (stream.isPaused()) stream.resume()
  }
  stream.on('data', (chunk: Buffer) => {
    takePart(chunk)
    if (rest === undefined && !isBlocked()) return
    stream.pause()
    scheduleNext()
  })
  return {
    /** Takes the bytes that were read but not taken yet. Call it when the stream has ended. */
    flush() {
      const left = rest
      rest = undefined
      if (left !== undefined) take(left)
    },
  }
}

/** The position after this many lines, or the length if there are fewer. */
function endOfLines(bytes: Uint8Array, lines: number): number {
  let end = 0
  for (let count = 0; count < lines; count++) {
    const at = bytes.indexOf(NEWLINE, end)
    if (at < 0) return bytes.length
    end = at + 1
  }
  return end
}
