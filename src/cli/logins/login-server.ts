// Finds the server for a login or logout: in the configuration, or else in the files of the user's clients.

import type { LoadedConfig } from '../../config/load/load.ts'
import { explainUnset, variablesFor } from '../../config/people.ts'
import { prepareConnection } from '../../config/prepare-connection.ts'
import { type RemoteConnection, remoteIn, type ServerConfig } from '../../config/server-config.ts'
import { errorOf, raise } from '../../core/errors.ts'
import type { CommandError } from '../../core/result.ts'
import { findSimilarTools } from '../../core/similarity.ts'
import { discoverClients } from '../../setup/discover.ts'
import { loadValid } from '../../setup/load-config.ts'
import { LOCAL_PERSON, type Person, remotePerson } from '../../sources/upstream/auth/person.ts'
import { servedConfig } from '../gateway/served-config.ts'
import { LIST_SERVERS } from '../output/error-for-people.ts'
import { withNoServersReason } from '../output/notes.ts'
import type { Work } from '../output/work.ts'

export interface LoginServer {
  /** The configuration. If the server is in a file of a client, it is added to the servers. */
  readonly loaded: LoadedConfig
  readonly server: ServerConfig
  readonly connection: RemoteConnection
  /** The person who logs in or out. */
  readonly person: Person
}

/**
 * Finds the server, even if the gateway does not serve it yet: `install` does not move a server that needs a login out
 * of its client, so the user must be able to log in first. Returns an error if there is no such server. Raises if the
 * server is a program of this machine, if it has one login and `principal` is given, or if a variable of its connection
 * is not set.
 */
export async function findLoginServer(
  work: Work,
  name: string,
  command: 'login' | 'logout',
  principal: string | undefined,
): Promise<LoginServer | { readonly error: CommandError }> {
  const refuse = (reason: string) => raise('INVALID_ARGUMENTS', { reason, command: `toolcrib ${command}` })
  const loaded = await loadValid(work)
  const names = loaded.servers.map((one) => one.name)
  const configured = loaded.servers.find((one) => one.name === name)
  const server = configured ?? (await findInClients(work, name))
  if (server === undefined) {
    const similar = findSimilarTools(name, names)
    const error = errorOf('SERVER_NOT_FOUND', { server: name, similar, list: LIST_SERVERS })
    const explained = withNoServersReason(error, names.length, servedConfig(loaded, work.environment.home))
    const { explainUnknownServer } = await import('../config-changes/other-configs.ts')
    return { error: await explainUnknownServer(work, explained, name) }
  }
  if (principal !== undefined && configured === undefined) {
    const { source } = server.origin
    refuse(`'${name}' is not in the config, but in a file of ${source}, so it has one login. Leave --principal out`)
  }
  const refuseProgram = () => refuse(`'${name}' is a program that runs on this machine, so it has no login`)
  if (remoteIn(server.connection) === undefined) refuseProgram()
  if (principal !== undefined && server.perPrincipal !== true) {
    refuse(
      `'${name}' is shared by all principals, so it has one login. Leave --principal out, or set perPrincipal of the server to true`,
    )
  }
  const person = principal === undefined ? LOCAL_PERSON : remotePerson(principal)
  const variables = variablesFor(person, { variables: loaded.variables, people: loaded.config.people })
  const prepared = await prepareConnection(server.connection, variables).catch((error: unknown) => {
    throw explainUnset(error, person)
  })
  const connection = remoteIn(prepared) ?? refuseProgram()
  const servers = configured === undefined ? [...loaded.servers, server] : loaded.servers
  return { loaded: { ...loaded, servers }, server, connection, person }
}

/** Finds an enabled remote server in the client files of the user. */
async function findInClients({ environment }: Work, name: string): Promise<ServerConfig | undefined> {
  const clients = await discoverClients(environment, { scope: 'user' })
  const remote = clients
    .flatMap(({ servers }) => servers)
    .filter(({ enabled, connection }) => enabled && remoteIn(connection) !== undefined)
  // If the config has another server with this name, `install` calls this one NAME-CLIENT.
  const server =
    remote.find((one) => one.name === name) ?? remote.find((one) => `${one.name}-${one.origin.source}` === name)
  return server && { ...server, name }
}
