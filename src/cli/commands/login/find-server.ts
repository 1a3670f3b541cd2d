// Finds the server for a login or logout: one of the configuration, or one that is still only in the file of a client.

import { prepareConnection } from '../../../config/prepare-connection.ts'
import { remoteIn } from '../../../config/server-config.ts'
import { discoverClients } from '../../../setup/discover.ts'
import { loadValid } from '../../../setup/load-config.ts'
import { LOCAL_PERSON } from '../../../sources/upstream/person.ts'
import { findRemoteServer, type RemoteServer } from '../../gateway/remote-server.ts'
import type { Work } from '../../output/work.ts'

/** `install` leaves a server that needs a login in its client, so the login must work before the gateway serves it. */
export async function findLoginServer(
  work: Work,
  name: string,
  command: 'login' | 'logout',
  principal?: string | undefined,
): ReturnType<typeof findRemoteServer> {
  const found = await findRemoteServer(work, name, command, principal)
  return 'error' in found ? ((await findInClients(work, name)) ?? found) : found
}

async function findInClients(work: Work, name: string): Promise<RemoteServer | undefined> {
  const loaded = await loadValid(work)
  const clients = await discoverClients(work.environment, { scope: 'user' })
  const remote = clients
    .flatMap(({ servers }) => servers)
    .filter(({ enabled, connection }) => enabled && remoteIn(connection) !== undefined)
  // `install` adds the name of the client if the config has another server with this name.
  const server =
    remote.find((one) => one.name === name) ?? remote.find((one) => `${one.name}-${one.origin.source}` === name)
  if (server === undefined) return undefined
  const connection = remoteIn(await prepareConnection(server.connection, loaded.variables))
  if (connection === undefined) return undefined
  const named = { ...server, name }
  return { loaded: { ...loaded, servers: [...loaded.servers, named] }, server: named, connection, person: LOCAL_PERSON }
}
