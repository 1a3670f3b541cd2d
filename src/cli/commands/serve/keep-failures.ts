// Stores the failed starts of a serving gateway, so that `list` and the other commands show them.

import type { ServerConfig } from '../../../config/server-config.ts'
import type { Environment } from '../../../setup/environment.ts'
import { rememberFailures } from '../../gateway/remember-failures.ts'
import { startable } from '../../gateway/served-config.ts'

export interface FailureKeeper {
  note(server: string, reason: string): void
  /** Writes the remaining failures. */
  close(): Promise<void>
}

/** Limits the writes for a server that fails at every start. */
const WRITE_EVERY_MS = 1_000

/** `servers` returns the servers of the configuration in force when the file is written. */
export function keepFailures(
  environment: Pick<Environment, 'cacheDir' | 'stateDir' | 'env'>,
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
      // The timer alone must not keep the process alive.
      timer ??= setTimeout(() => void write(), writeEveryMs).unref()
    },
    close: write,
  }
}
