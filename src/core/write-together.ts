// Sends all messages of one turn of the event loop with one system call.

import type { Writable } from 'node:stream'

/** Call this before a write. */
export function writeTogether(output: Writable): void {
  if (output.writableCorked > 0) return
  output.cork()
  process.nextTick(() => output.uncork())
}
