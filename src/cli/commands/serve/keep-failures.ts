// Stores the failed starts of a serving gateway, so that `list` and the other commands show them.

import type { ServerConfig } from '../../../config/server-config.ts'
import type { Environment } from '../../../setup/environment.ts'
import { rememberFailures } from '../../gateway/remember-failures.ts'
import { startableOf } from '../../gateway/served-config.ts'
import type { Unreachable } from '../../gateway/unreachable.ts'

export interface FailureKeeper {
  note(server: string, failure: Unreachable): void
  /** Writes the remaining failures. */
  close(): Promise<void>
}

/** Failures are written at most this often, because a server may fail at every start. */
const WRITE_EVERY_MS = 1_000

/** `servers` returns the servers of the configuration in force. It is called when the file is written. */
export function keepFailures(
  environment: Pick<Environment, 'cacheDir' | 'env'>,
  servers: () => readonly ServerConfig[],
  writeEveryMs = WRITE_EVERY_MS,
): FailureKeeper {
  const failures = new Map<string, Unreachable>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    const unwritten = new Map(failures)
    failures.clear()
    if (unwritten.size > 0)
      writing = writing.then(() => rememberFailures(environment, servers().map(startableOf), unwritten))
    return writing
  }
  return {
    note(server, failure) {
      failures.set(server, failure)
      // The timer alone must not keep the process alive.
      timer ??= setTimeout(() => void write(), writeEveryMs).unref()
    },
    close: write,
  }
}
