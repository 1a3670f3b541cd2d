// Reads the output of a server in parts, so that a server that sends many messages at once does not delay the others.

import type { Readable } from 'node:stream'

interface TurnsOptions {
  /** Takes bytes of the stream. The caller does not use them afterwards. */
  take(bytes: Uint8Array): void
  /** True if nothing more may be read for now. */
  isBlocked(): boolean
  /** Calls the function once when reading may go on. Only used while `isBlocked` is true. */
  onFree(resume: () => void): void
}

interface Turns {
  /** Takes what was read and not taken yet. Call it when the stream has ended. */
  flush(): void
}

/** A chunk of a pipe can have thousands of short messages, and the work for one of them can take 0.1 ms. */
const MAX_LINES = 16
const NEWLINE = 0x0a

export function readInTurns(stream: Readable, { take, isBlocked, onFree }: TurnsOptions): Turns {
  let rest: Uint8Array | undefined

  const takePart = (bytes: Uint8Array) => {
    const end = endOfLines(bytes, MAX_LINES)
    rest = end < bytes.length ? bytes.subarray(end) : undefined
    take(rest === undefined ? bytes : bytes.subarray(0, end))
  }
  const goOn = () => {
    if (rest !== undefined && !isBlocked()) takePart(rest)
    plan()
  }
  /** Other connections are served before the next part. */
  const plan = () => {
    if (isBlocked()) onFree(goOn)
    else if (rest !== undefined) setImmediate(goOn)
    else if (stream.isPaused()) stream.resume()
  }
  stream.on('data', (chunk: Buffer) => {
    takePart(chunk)
    if (rest === undefined && !isBlocked()) return
    stream.pause()
    plan()
  })
  return {
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
