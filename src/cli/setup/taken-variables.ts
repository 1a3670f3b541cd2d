// Variables that mean something to somebody already: none of them may come to stand for another server's secret.

import { referencedNames } from '../../config/references.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { readVariable } from '../../core/variables.ts'
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
  const disputed = Object.keys(kept).filter(
    (name) => (readVariable(environment.env, name, environment.platform) ?? kept[name]) !== kept[name],
  )
  const unknown = all.flatMap(({ connection }) => referencedNames(connection))
  const taken: readonly (readonly [string, string | undefined])[] = [
    ...unknown.map((name) => [name, undefined] as const),
    ...Object.entries({ ...kept, ...environment.env }),
    ...disputed.map((name) => [name, undefined] as const),
  ]
  // Names that are chosen for a secret are in capitals, and on Windows `Api_Key` is the same variable.
  const inCapitals = taken.map(([name, value]) => [name.toUpperCase(), value] as const)
  return new Map(environment.platform === 'win32' ? [...taken, ...inCapitals] : taken)
}
