// Finds the server for a login or logout in the configuration, and resolves its connection.

import type { LoadedConfig } from '../../config/load/load.ts'
import { explainUnset, variablesFor } from '../../config/people.ts'
import { prepareConnection } from '../../config/prepare-connection.ts'
import { type RemoteConnection, remoteIn, type ServerConfig } from '../../config/server-config.ts'
import { errorOf, raise } from '../../core/errors.ts'
import type { CommandError } from '../../core/result.ts'
import { findSimilarTools } from '../../core/similarity.ts'
import { loadValid } from '../../setup/load-config.ts'
import { LOCAL_PERSON, type Person, remotePerson } from '../../sources/upstream/auth/person.ts'
import { LIST_SERVERS } from '../output/error-for-people.ts'
import { withNoServersReason } from '../output/no-servers.ts'
import type { Work } from '../output/work.ts'
import { servedConfig } from './served-config.ts'

export interface RemoteServer {
  readonly loaded: LoadedConfig
  readonly server: ServerConfig
  readonly connection: RemoteConnection
  /** The person who logs in or out. */
  readonly person: Person
}

/**
 * Returns an error if the config has no such server. Raises if the server is a program of this machine, if it is shared
 * and `principal` is given, or if a variable of its connection is not set.
 */
export async function findRemoteServer(
  work: Work,
  name: string,
  command: 'login' | 'logout',
  principal?: string | undefined,
): Promise<RemoteServer | { readonly error: CommandError }> {
  const loaded = await loadValid(work)
  const server = loaded.servers.find((one) => one.name === name)
  if (server === undefined) {
    const names = loaded.servers.map((one) => one.name)
    const error = errorOf('SERVER_NOT_FOUND', {
      server: name,
      similar: findSimilarTools(name, names),
      list: LIST_SERVERS,
    })
    return { error: withNoServersReason(error, names.length, servedConfig(loaded, work.environment.home)) }
  }
  const person = principal === undefined ? LOCAL_PERSON : remotePerson(principal)
  if (principal !== undefined && server.perPrincipal !== true) {
    const reason = `'${name}' is shared by all principals, so it has one login. Leave --principal out, or set perPrincipal of the server to true`
    return raise('INVALID_ARGUMENTS', { reason, command: `toolcrib ${command}` })
  }
  const variables = variablesFor(person, { variables: loaded.variables, people: loaded.config.people })
  const connection = await prepareConnection(server.connection, variables).catch((error: unknown) => {
    throw explainUnset(error, person)
  })
  const remote = remoteIn(connection)
  if (remote === undefined) {
    const reason = `'${name}' is a program that runs on this machine, so it has no login`
    return raise('INVALID_ARGUMENTS', { reason, command: `toolcrib ${command}` })
  }
  return { loaded, server, connection: remote, person }
}
