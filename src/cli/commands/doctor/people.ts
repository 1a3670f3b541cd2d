// Checks for a gateway that several people use: whether servers are shared, and which values a person lacks.

import { resolveConnection } from '../../../config/connection-kinds.ts'
import type { LoadedConfig } from '../../../config/load/load.ts'
import { variablesFor } from '../../../config/people.ts'
import { isPersonal, type Variables } from '../../../config/references.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { messageOf } from '../../../core/text.ts'
import { openTokenStore } from '../../../setup/user-stores.ts'
import { LOCAL_PERSON } from '../../../sources/upstream/auth/person.ts'
import { createTokenBook } from '../../../storage/token-book.ts'
import type { Work } from '../../output/work.ts'

/**
 * Whether several people can use the gateway: it has tokens for them or a company login, or the config has people or a
 * server with perPrincipal.
 */
export async function canHaveSeveralUsers(work: Work, loaded: LoadedConfig): Promise<boolean> {
  const { http, people } = loaded.config
  return (
    Object.keys(http.tokens).length > 0 ||
    http.oauth !== undefined ||
    Object.keys(people).length > 0 ||
    loaded.servers.some(({ perPrincipal }) => perPrincipal === true) ||
    hasStoredTokens(work, loaded)
  )
}

/** Whether the store has tokens of `toolcrib token add`. False if it cannot be read: the check of servers goes on. */
async function hasStoredTokens({ environment, output }: Work, loaded: LoadedConfig): Promise<boolean> {
  try {
    await using store = openTokenStore(environment, loaded, ({ message }) => output.detail(message))
    return (await createTokenBook(store).list()).length > 0
  } catch (error) {
    output.detail(`The tokens cannot be read: ${messageOf(error)}`)
    return false
  }
}

/** The variables with which a server starts for the user who runs the command. */
export function localVariables(variables: Variables, { config }: LoadedConfig): Variables {
  return variablesFor(LOCAL_PERSON, { variables, people: config.people })
}

/**
 * The first personal variable, such as `person.TOKEN`, that the server refers to and for which the user of this command
 * has no value. The server starts only for a person who has a value.
 */
export function missingPersonalVariable({ connection }: ServerConfig, variables: Variables): string | undefined {
  const resolved = resolveConnection(connection, variables)
  return resolved.ok ? undefined : resolved.missing.find(isPersonal)
}

/** The warning for a server that is not started, because the user of this command does not have `what`. */
export function notStartedWithout(what: string): string {
  return `not started: it needs ${what} of each person, and you have none. It starts at the first call of a person who has ${what}`
}
