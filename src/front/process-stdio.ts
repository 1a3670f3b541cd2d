// The standard streams of this process: whether a client is connected, whether it still reads, and a closed stderr.

import { fstatSync, readFileSync, readSync } from 'node:fs'
import { isatty } from 'node:tty'

interface TransportChoice {
  readonly transport: 'stdio' | 'http'
  /** Set if the transport was chosen automatically. */
  readonly reason?: string
}

/** Returns the author's choice or, for `auto`, decides by the type of stdin. */
export function chooseTransport(wanted: 'stdio' | 'http' | 'auto', stdin = 0): TransportChoice {
  if (wanted !== 'auto') return { transport: wanted }
  const kind = kindOf(stdin)
  // A client that starts a server connects a pipe or a socket to its stdin. A file can contain messages of a client.
  // A terminal and the null device of a service manager send none.
  const hasClient = kind === 'a pipe' || kind === 'a socket' || kind === 'a file'
  return { transport: hasClient ? 'stdio' : 'http', reason: `stdin is ${kind}` }
}

function kindOf(fd: number): string {
  try {
    const stat = fstatSync(fd)
    if (stat.isFIFO()) return 'a pipe'
    if (stat.isSocket()) return 'a socket'
    if (stat.isFile()) return 'a file'
    return isatty(fd) ? 'a terminal' : 'a device'
  } catch {
    return 'closed'
  }
}

let isStderrGuarded = false

/** Keeps this process running when the reader of stderr has gone. Lines for stderr are then lost. */
export function outliveStderr(): void {
  if (isStderrGuarded) return
  isStderrGuarded = true
  process.stderr.on('error', () => {})
}

const NONBLOCKING = 0o4000

/**
 * Checks a file descriptor now, and returns a function that checks again whether its reader has gone. This works only
 * for sockets on Linux, which Node uses for the stdio of child processes. In all other cases the reader counts as
 * present.
 */
export function watchReader(fd: number): () => boolean {
  // A peer that already looks gone here may have closed only its sending half, so it always counts as present.
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
