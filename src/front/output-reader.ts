// Whether the process that reads our stdout is gone. A write would tell, but a silent call writes nothing.

import { fstatSync, readFileSync, readSync } from 'node:fs'

const NONBLOCKING = 0o4000

/**
 * Looks at a file descriptor now and gives a function that looks again. Only sockets on Linux can tell, which is what
 * Node makes for the stdio of its children; all others are always said to be read.
 */
export function watchReader(fd: number): () => boolean {
  // A peer that has closed only its sending half looks the same: it did so before we began.
  if (isPeerGone(fd)) return () => false
  return () => isPeerGone(fd)
}

/** The other end never sends anything, so a read gives EAGAIN while it is open, and 0 bytes when it is closed. */
function isPeerGone(fd: number): boolean {
  try {
    if (process.platform !== 'linux' || !fstatSync(fd).isSocket() || !isNonblocking(fd)) return false
    return readSync(fd, Buffer.alloc(1)) === 0
  } catch {
    return false
  }
}

/** A read of a blocking socket would stop this process. */
function isNonblocking(fd: number): boolean {
  const [, flags = '0'] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
  return (Number.parseInt(flags, 8) & NONBLOCKING) !== 0
}
