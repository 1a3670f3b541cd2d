// Finds the variables that are already in use. A new secret must not get one of these names.

import { referencedNames } from '../config/connection-kinds.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { readVariable } from '../core/variables.ts'
import { discoverClients } from './discover.ts'
import type { Environment } from './environment.ts'
import { secretsFile, secretsWritten } from './secrets-file.ts'

/** Maps each name to its value if it is known. A variable that a server refers to is taken even if it is not set. */
export async function takenVariables(
  environment: Environment,
  servers: readonly ServerConfig[],
): Promise<Map<string, string | undefined>> {
  // Servers of any client may be served beside ours, now or later.
  const clients = await discoverClients(environment)
  const all = [...servers, ...clients.flatMap((client) => client.servers)]
  const stored = secretsWritten(secretsFile(environment))
  // If two values exist, it is unknown which one a gateway will use.
  const withTwoValues = Object.keys(stored).filter(
    (name) => (readVariable(environment.env, name, environment.platform) ?? stored[name]) !== stored[name],
  )
  const referenced = all.flatMap(({ connection }) => referencedNames(connection))
  const taken: readonly (readonly [string, string | undefined])[] = [
    ...referenced.map((name) => [name, undefined] as const),
    ...Object.entries({ ...stored, ...environment.env }),
    ...withTwoValues.map((name) => [name, undefined] as const),
  ]
  // Names for secrets are chosen in capitals, and on Windows `Api_Key` is the same variable as `API_KEY`.
  const inCapitals = taken.map(([name, value]) => [name.toUpperCase(), value] as const)
  return new Map(environment.platform === 'win32' ? [...taken, ...inCapitals] : taken)
}
