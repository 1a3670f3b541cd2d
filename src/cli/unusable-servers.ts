// Servers that would not start as things are: a variable is not set, or starting them failed a moment ago.

import type { ServerSummary } from '../disclosure/gateway/page-of-servers.ts'
import type { Environment } from './environment.ts'
import type { Startable } from './startable.ts'
import { describeUnset } from './unset-variables.ts'

export type Unusable = Pick<ServerSummary, 'status' | 'state' | 'reason'>

/** `unknown`: those of which nothing is known. What is known of the others was learnt since they failed. */
export async function unusableServers(
  environment: Pick<Environment, 'cacheDir' | 'env'>,
  servers: readonly Startable[],
  unknown: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Unusable>> {
  const unasked = servers.filter(({ id }) => unknown.has(id))
  const failures: ReadonlyMap<string, string> =
    unasked.length === 0 ? new Map() : await (await import('./unreachable.ts')).recentFailures(environment, unasked)
  const found = new Map<string, Unusable>()
  for (const { id, variables } of servers) {
    const unset = variables.filter((name) => environment.env[name] === undefined)
    const reason = describeUnset(unset) ?? failures.get(id)
    if (reason !== undefined) found.set(id, { status: 'disconnected', state: 'failed', reason })
  }
  return found
}
