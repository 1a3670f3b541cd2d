// Servers that would not start now, with the state and reason that `list` shows.

import type { ServerSummary } from '../../disclosure/strategies/gateway/page-of-servers.ts'
import type { Environment } from '../../setup/environment.ts'
import type { Startable } from './served-config.ts'
import { recentFailures } from './unreachable.ts'
import { describeUnset, unsetNamesOf } from './unset-variables.ts'

export type Unusable = Pick<ServerSummary, 'status' | 'state' | 'reason'>

export function unusableServers(
  environment: Pick<Environment, 'cacheDir' | 'env'>,
  servers: readonly Startable[],
): ReadonlyMap<string, Unusable> {
  const failures = recentFailures(environment, servers)
  const found = new Map<string, Unusable>()
  for (const server of servers) {
    const reason = describeUnset(unsetNamesOf(server, environment.env)) ?? failures.get(server.id)
    if (reason !== undefined) found.set(server.id, { status: 'disconnected', state: 'failed', reason })
  }
  return found
}
