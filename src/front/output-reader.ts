// Detects whether the process that reads our stdout is gone, even while nothing is written.

import { fstatSync, readFileSync, readSync } from 'node:fs'

const NONBLOCKING = 0o4000

/**
 * Checks a file descriptor now, and returns a function that checks it again. This works only for sockets on Linux,
 * which Node uses for the stdio of child processes. In all other cases the reader counts as present.
 */
export function watchReader(fd: number): () => boolean {
  // A peer that has closed only its sending half looks gone too. A peer that looks gone now always counts as present.
  if (isPeerGone(fd)) return () => false
  return () => isPeerGone(fd)
}

/** The peer never sends data, so a read fails with EAGAIN while it is open, and returns 0 bytes when it is closed. */
function isPeerGone(fd: number): boolean {
  try {
    if (process.platform !== 'linux' || !fstatSync(fd).isSocket() || !isNonblocking(fd)) return false
    return readSync(fd, Buffer.alloc(1)) === 0
  } catch {
    return false
  }
}

/** Reading a blocking socket would block this process. */
function isNonblocking(fd: number): boolean {
  const [, flags = '0'] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
  return (Number.parseInt(flags, 8) & NONBLOCKING) !== 0
}
