// Messages that are sent in one turn of the event loop reach the pipe with one system call.

import type { Writable } from 'node:stream'

/** To be called before a write. */
export function writeTogether(output: Writable): void {
  if (output.writableCorked > 0) return
  output.cork()
  process.nextTick(() => output.uncork())
}
