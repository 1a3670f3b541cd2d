// Variables that mean something to somebody already: none of them may come to stand for another server's secret.

import { referencedNames } from '../../config/references.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import type { Environment } from '../environment.ts'
import { discoverClients } from './discover.ts'

/** With their value where it is known. What a server refers to is taken also where it is not set yet. */
export async function takenVariables(
  environment: Environment,
  servers: readonly ServerConfig[],
): Promise<Map<string, string | undefined>> {
  // Those of any client may be served beside ours, today or later.
  const clients = await discoverClients(environment)
  const all = [...servers, ...clients.flatMap((client) => client.servers)]
  return new Map([
    ...all.flatMap(({ connection }) => referencedNames(connection)).map((name) => [name, undefined] as const),
    ...Object.entries(environment.env),
  ])
}
