// Servers that would not start as things are: a variable is not set, or starting them failed a moment ago.

import { join } from 'node:path'
import type { ServerConfig } from '../config/server-config.ts'
import type { ServerSummary } from '../disclosure/gateway/list-servers.ts'
import { manifestKey } from '../sources/upstream/manifest.ts'
import { createFileStore } from '../storage/file.ts'
import { describeUnset, unsetVariables } from './unset-variables.ts'
import type { Work } from './work.ts'

export type Unusable = Pick<ServerSummary, 'status' | 'state' | 'reason'>

/** `unknown`: those of which nothing is known. What is known of the others was learnt since they failed. */
export async function unusableServers(
  { environment }: Work,
  servers: readonly ServerConfig[],
  unknown: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Unusable>> {
  const failures = createFileStore({ dir: join(environment.cacheDir, 'unreachable') })
  const found = new Map<string, Unusable>()
  for (const server of servers) {
    const kept = unknown.has(server.name) ? await failures.get(manifestKey(server)) : undefined
    const failed = typeof kept === 'string' ? kept : undefined
    const reason = describeUnset(unsetVariables(server.connection, environment.env)) ?? failed
    if (reason !== undefined) found.set(server.name, { status: 'disconnected', state: 'failed', reason })
  }
  await failures[Symbol.asyncDispose]()
  return found
}
