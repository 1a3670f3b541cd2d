// Chooses the transport of a server: the author's choice or, for `auto`, by the type of stdin.

import { fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

interface TransportChoice {
  readonly transport: 'stdio' | 'http'
  /** Set if the transport was chosen automatically. */
  readonly reason?: string
}

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
