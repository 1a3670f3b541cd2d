// Bytes to lines, one message each. A line past the limit is given up without giving up the connection.

export interface FrameReader {
  push(chunk: Buffer): void
}

export interface FrameReaderOptions {
  readonly maxBytes: number
  onFrame(line: string): void
  /** A line that was too long: its two ends, where the id of a message stands. */
  onTooLong(ends: { readonly head: string; readonly tail: string; readonly bytes: number }): void
}

const NEWLINE = 0x0a
const END_BYTES = 512

export function createFrameReader({ maxBytes, onFrame, onTooLong }: FrameReaderOptions): FrameReader {
  let parts: Buffer[] = []
  let bytes = 0
  let cut: { readonly head: Buffer; readonly tail: Buffer } | undefined

  const take = (part: Buffer) => {
    bytes += part.length
    if (cut !== undefined) {
      cut = { head: firstBytes([cut.head, part]), tail: lastBytes([cut.tail, part]) }
      return
    }
    parts.push(part)
    if (bytes <= maxBytes) return
    cut = { head: firstBytes(parts), tail: lastBytes(parts) }
    parts = []
  }
  const finish = () => {
    const [whole, length, ends] = [parts, bytes, cut]
    parts = []
    bytes = 0
    cut = undefined
    if (ends !== undefined) {
      return onTooLong({ head: ends.head.toString('utf8'), tail: ends.tail.toString('utf8').trim(), bytes: length })
    }
    const line = Buffer.concat(whole).toString('utf8').trim()
    if (line !== '') onFrame(line)
  }

  return {
    push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at))
        from = at + 1
        finish()
      }
      if (from < chunk.length) take(chunk.subarray(from))
    },
  }
}

// Both are copies, so that the large buffers they are cut from can go.
function firstBytes(parts: readonly Buffer[]): Buffer {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat(parts, Math.min(bytes, END_BYTES))
}

function lastBytes(parts: readonly Buffer[]): Buffer {
  return Buffer.from(Buffer.concat(parts.slice(-END_BYTES)).subarray(-END_BYTES))
}

/** The id of a response of which only the ends are known; undefined where they do not say. */
export function idOfCutResponse({
  head,
  tail,
}: {
  readonly head: string
  readonly tail: string
}): string | number | undefined {
  // Only a member of the message itself: first in it, or last before the one brace that closes it.
  const found =
    /^\{(?:"jsonrpc":"2\.0",)?"id":("(?:[^"\\]|\\.)*"|\d+),/.exec(head)?.[1] ??
    /,"id":("(?:[^"\\]|\\.)*"|\d+)(?:,"jsonrpc":"2\.0")?\}$/.exec(tail)?.[1]
  if (found === undefined) return undefined
  const id: unknown = JSON.parse(found)
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
