// Sends all messages of one turn of the event loop with one system call.

import type { Writable } from 'node:stream'

/** Call this before a write. */
export function writeTogether(output: Writable): void {
  if (output.writableCorked > 0) return
  output.cork()
  process.nextTick(() => output.uncork())
}

type Done = (error?: Error | null) => void

/** Texts up to this length are joined. A longer text costs more to copy than its own system call. */
const MAX_JOINED_CHARS = 65_536

/**
 * Returns a function that writes a text, joined with the other texts of this turn. `write` is that of the output. This
 * costs less than `writeTogether`, because the stream gets one text instead of many.
 */
export function createJoinedWrite(write: (text: string, done: Done) => unknown): (text: string, done: Done) => void {
  let joined = ''
  let waiting: Done[] = []
  const flush = () => {
    if (waiting.length === 0) return
    const [text, done] = [joined, waiting]
    joined = ''
    waiting = []
    const [only] = done
    if (only !== undefined && done.length === 1) write(text, only)
    else
      write(text, (error) => {
        for (const one of done) one(error)
      })
  }
  return (text, done) => {
    if (text.length > MAX_JOINED_CHARS) {
      flush()
      write(text, done)
      return
    }
    if (joined.length > MAX_JOINED_CHARS) flush()
    joined += text
    if (waiting.push(done) === 1) process.nextTick(flush)
  }
}
