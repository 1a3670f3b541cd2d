// Variables that mean something to somebody already: none of them may come to stand for another server's secret.

import { referencedNames } from '../../config/references.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import type { Environment } from '../environment.ts'
import { secretsFile, secretsWritten } from '../secrets-file.ts'
import { discoverClients } from './discover.ts'

/** With their value where it is known. What a server refers to is taken also where it is not set yet. */
export async function takenVariables(
  environment: Environment,
  servers: readonly ServerConfig[],
): Promise<Map<string, string | undefined>> {
  // Those of any client may be served beside ours, today or later.
  const clients = await discoverClients(environment)
  const all = [...servers, ...clients.flatMap((client) => client.servers)]
  const kept = secretsWritten(secretsFile(environment))
  // Of two values nobody knows which one a gateway will be started with.
  const disputed = Object.keys(kept).filter((name) => (environment.env[name] ?? kept[name]) !== kept[name])
  const unknown = all.flatMap(({ connection }) => referencedNames(connection))
  return new Map([
    ...unknown.map((name) => [name, undefined] as const),
    ...Object.entries({ ...kept, ...environment.env }),
    ...disputed.map((name) => [name, undefined] as const),
  ])
}
