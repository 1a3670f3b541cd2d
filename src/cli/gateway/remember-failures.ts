// Stores which servers failed to start, so that the next commands do not wait for them again.

import type { Environment } from '../../setup/environment.ts'
import { writeAtomic } from '../../storage/atomic-file.ts'
import type { Startable } from './served-config.ts'
import { failuresFile, readFailures, type Unreached } from './unreachable.ts'
import { unsetNamesOf } from './unset-variables.ts'

/** Skips servers with an unset variable, because a later command detects that without starting them. */
export async function rememberFailures(
  { cacheDir, env }: Pick<Environment, 'cacheDir' | 'env'>,
  servers: readonly Startable[],
  reasons: Unreached,
): Promise<void> {
  const failed = servers.filter((server) => reasons.has(server.id) && unsetNamesOf(server, env).length === 0)
  if (failed.length === 0) return
  const [file, at] = [failuresFile(cacheDir), Date.now()]
  const now = failed.map(({ id, key }) => [key, { ...reasons.get(id), at }] as const)
  // A failed write is ignored: the next command then tries to start the servers again.
  await writeAtomic(file, JSON.stringify(Object.fromEntries([...readFailures(file, at), ...now]))).catch(() => {})
}
