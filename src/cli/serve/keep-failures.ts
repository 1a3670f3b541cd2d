// Remembers failed starts of a gateway that serves, so that `list` and the other commands know them.

import type { ServerConfig } from '../../config/server-config.ts'
import type { Environment } from '../environment.ts'
import { rememberFailures } from '../remember-failures.ts'
import { startable } from '../startable.ts'

export interface FailureKeeper {
  note(server: string, reason: string): void
  /** Writes what is left. */
  close(): Promise<void>
}

/** A server that fails at every start must not have the file written each time. */
const WRITE_EVERY_MS = 1_000

/** `servers`: those of the configuration in force when the file is written. */
export function keepFailures(
  environment: Pick<Environment, 'cacheDir' | 'env'>,
  servers: () => readonly ServerConfig[],
  writeEveryMs = WRITE_EVERY_MS,
): FailureKeeper {
  const reasons = new Map<string, string>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    const now = new Map(reasons)
    reasons.clear()
    if (now.size > 0) writing = writing.then(() => rememberFailures(environment, servers().map(startable), now))
    return writing
  }
  return {
    note(server, reason) {
      reasons.set(server, reason)
      // It alone keeps no process alive.
      timer ??= setTimeout(() => void write(), writeEveryMs).unref()
    },
    close: write,
  }
}
