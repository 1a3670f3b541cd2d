// Finds the server for a login or logout: in the config, or else in the files of the user's clients.

import { explainUnset, variablesFor } from '../../config/people.ts'
import { prepareConnection } from '../../config/prepare-connection.ts'
import { remoteIn } from '../../config/server-config.ts'
import { raise } from '../../core/errors.ts'
import { discoverClients } from '../../setup/discover.ts'
import { loadValid } from '../../setup/load-config.ts'
import { LOCAL_PERSON } from '../../sources/upstream/auth/person.ts'
import type { Work } from '../output/work.ts'
import { findRemoteServer, type RemoteServer } from './remote-server.ts'

/**
 * Also finds servers that the gateway does not serve yet: `install` does not move a server that needs a login out of its
 * client, so the user must be able to log in before.
 */
export async function findLoginServer(
  work: Work,
  name: string,
  command: 'login' | 'logout',
  principal?: string | undefined,
): ReturnType<typeof findRemoteServer> {
  const found = await findRemoteServer(work, name, command, principal)
  if (!('error' in found)) return found
  const ofClient = await findInClients(work, name)
  if (ofClient !== undefined && principal !== undefined) {
    const { source } = ofClient.server.origin
    const reason = `'${name}' is not in the config, but in a file of ${source}, so it has one login. Leave --principal out`
    return raise('INVALID_ARGUMENTS', { reason, command: `toolcrib ${command}` })
  }
  return ofClient ?? found
}

/** Only the user who runs the gateway can log in to a server of a client. */
async function findInClients(work: Work, name: string): Promise<RemoteServer | undefined> {
  const loaded = await loadValid(work)
  const clients = await discoverClients(work.environment, { scope: 'user' })
  const remote = clients
    .flatMap(({ servers }) => servers)
    .filter(({ enabled, connection }) => enabled && remoteIn(connection) !== undefined)
  // If the config has another server with this name, `install` calls this one NAME-CLIENT.
  const server =
    remote.find((one) => one.name === name) ?? remote.find((one) => `${one.name}-${one.origin.source}` === name)
  if (server === undefined) return undefined
  const person = LOCAL_PERSON
  const variables = variablesFor(person, { variables: loaded.variables, people: loaded.config.people })
  const prepared = await prepareConnection(server.connection, variables).catch((error: unknown) => {
    throw explainUnset(error, person)
  })
  const connection = remoteIn(prepared)
  if (connection === undefined) return undefined
  const named = { ...server, name }
  return { loaded: { ...loaded, servers: [...loaded.servers, named] }, server: named, connection, person }
}
