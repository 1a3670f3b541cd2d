// Servers that would not start as things are, as a list shows them.

import { readdirSync } from 'node:fs'
import type { ServerSummary } from '../disclosure/gateway/page-of-servers.ts'
import type { Environment } from './environment.ts'
import { failuresFolder } from './known/places.ts'
import type { Startable } from './startable.ts'
import { describeUnset, unsetNamesOf } from './unset-variables.ts'

export type Unusable = Pick<ServerSummary, 'status' | 'state' | 'reason'>

export async function unusableServers(
  environment: Pick<Environment, 'cacheDir' | 'env'>,
  servers: readonly Startable[],
): Promise<ReadonlyMap<string, Unusable>> {
  // The module that reads failures takes longer to load than the rest of a quick answer.
  const failures = hasFailures(environment)
    ? await (await import('./unreachable.ts')).recentFailures(environment, servers)
    : undefined
  const found = new Map<string, Unusable>()
  for (const server of servers) {
    const reason = describeUnset(unsetNamesOf(server, environment.env)) ?? failures?.get(server.id)
    if (reason !== undefined) found.set(server.id, { status: 'disconnected', state: 'failed', reason })
  }
  return found
}

function hasFailures({ cacheDir }: Pick<Environment, 'cacheDir'>): boolean {
  try {
    return readdirSync(failuresFolder(cacheDir)).length > 0
  } catch {
    return false
  }
}
