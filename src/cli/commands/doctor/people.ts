// Describes servers that several people use, for `toolcrib doctor`.

import { resolveConnection } from '../../../config/connection-kinds.ts'
import type { LoadedConfig } from '../../../config/load/load.ts'
import { variablesFor } from '../../../config/people.ts'
import { isPersonal, type Variables } from '../../../config/references.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { LOCAL_PERSON } from '../../../sources/upstream/person.ts'
import type { ServerFinding } from './finding-lines.ts'

/**
 * Whether each person has a server of their own. Undefined if the config has no tokens, no people and no server with
 * perPrincipal.
 */
export function sharingOf(server: ServerConfig, { config, servers }: LoadedConfig): ServerFinding['sharing'] {
  const { http, people } = config
  const isForPeople =
    Object.keys(http.tokens).length > 0 ||
    Object.keys(people).length > 0 ||
    servers.some(({ perPrincipal }) => perPrincipal === true)
  if (!isForPeople) return undefined
  return server.perPrincipal === true ? 'perPrincipal' : 'shared'
}

/** The variables for the server of the user who runs the command. */
export function localVariables(variables: Variables, { config }: LoadedConfig): Variables {
  return variablesFor(LOCAL_PERSON, { variables, people: config.people })
}

/**
 * The first personal variable that the server refers to and for which the user of this command has no value. The server
 * starts only for a person who has a value.
 */
export function missingVariable({ connection }: ServerConfig, variables: Variables): string | undefined {
  const resolved = resolveConnection(connection, variables)
  return resolved.ok ? undefined : resolved.missing.find(isPersonal)
}

/** The warning for a server that needs `what` of each person, if the user of this command has none. */
export function notForLocal(what: string): string {
  return `not started: each person needs ${what}, and you have none. A call of a person who has one starts it`
}
