// Stores which servers failed to start, so that commands show the reasons and do not wait for these servers again.

import type { ServerConfig } from '../../config/server-config.ts'
import type { Environment } from '../../setup/environment.ts'
import { writeAtomic } from '../../storage/atomic-file.ts'
import type { Unreachable } from '../output/error-for-people.ts'
import { type Startable, startableOf } from './served-config.ts'
import { unsetNamesOf } from './server-variables.ts'
import { failuresFile, readFailures, type Unreached } from './unreachable.ts'

/** Skips servers with an unset variable, because a later command detects that without starting them. */
export async function rememberFailures(
  { cacheDir, env }: Pick<Environment, 'cacheDir' | 'env'>,
  servers: readonly Startable[],
  reasons: Unreached,
): Promise<void> {
  const failed = servers.filter((server) => reasons.has(server.id) && unsetNamesOf(server, env).length === 0)
  if (failed.length === 0) return
  const [file, at] = [failuresFile(cacheDir), Date.now()]
  const added = failed.map(({ id, key }) => [key, { ...reasons.get(id), at }] as const)
  // A failed write is ignored: the next command then tries to start the servers again.
  await writeAtomic(file, JSON.stringify(Object.fromEntries([...readFailures(file, at), ...added]))).catch(() => {})
}

/** Stores the failed starts of a serving gateway. */
export interface FailureKeeper {
  note(server: string, failure: Unreachable): void
  /** Writes the remaining failures. */
  close(): Promise<void>
}

/** Failures are written at most this often, because a failing server may be started again and again. */
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
