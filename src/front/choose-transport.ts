// Which transport a server speaks: what its author says or, where that is `auto`, what its stdin is.

import { fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

export interface TransportChoice {
  readonly transport: 'stdio' | 'http'
  /** Where nobody said it. */
  readonly reason?: string
}

export function chooseTransport(wanted: 'stdio' | 'http' | 'auto', stdin = 0): TransportChoice {
  if (wanted !== 'auto') return { transport: wanted }
  const kind = kindOf(stdin)
  const isClient = kind === 'a pipe' || kind === 'a socket' || kind === 'a file'
  return { transport: isClient ? 'stdio' : 'http', reason: `stdin is ${kind}` }
}

/** A client that starts a server gives it something to read from; a terminal or a service manager does not. */
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
