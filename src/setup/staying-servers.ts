// Finds the servers that `install` leaves in the file of a client, because they would stop working behind the gateway.

import { prepareConnection } from '../config/prepare-connection.ts'
import { type RemoteConnection, remoteIn, type ServerConfig } from '../config/server-config.ts'
import { shellWord } from '../core/text.ts'
import type { Access } from '../sources/upstream/auth/open-authorization.ts'
import type { SetupJob } from './environment.ts'
import { writtenNameOf } from './name-servers.ts'

export interface StayingServer {
  /** The name in the client's file. */
  readonly name: string
  /** The path in the client's file. */
  readonly path: string | undefined
  /** Completes the sentence "It stays in the client, because …". */
  readonly reason: string
  /** The command to run before the next `install`. */
  readonly command?: string
}

/** A server that can be reached answers in much less time. */
const PROBE_MS = 5_000

/**
 * The servers that use a variable such as `${workspaceFolder}`. In a file of the user, its value depends on the folder
 * that the client has open.
 */
export function boundToFolder(servers: readonly ServerConfig[]): readonly StayingServer[] {
  return servers.flatMap((server) => {
    const { folderVariables = [], origin } = server
    if (folderVariables.length === 0) return []
    const reason = `only the client knows its open folder (${folderVariables.join(', ')})`
    return [{ name: writtenNameOf(server), path: origin.path, reason }]
  })
}

/**
 * The remote servers that this user cannot use now. `servers` are written as in the client's file. `named` are the same
 * servers with their names in our config, because logins are stored by these names. All get a request at the same time.
 */
export async function unusableRemotes(
  { environment, signal }: Pick<SetupJob, 'environment' | 'signal'>,
  servers: readonly ServerConfig[],
  named: readonly ServerConfig[],
  timeoutMs = PROBE_MS,
): Promise<readonly StayingServer[]> {
  const remote = named.filter(({ connection }) => remoteIn(connection) !== undefined)
  if (remote.length === 0) return []
  // Loads this code only if there are remote servers.
  const { checkAccess } = await import('../sources/upstream/auth/open-authorization.ts')
  const { createLoginStore } = await import('../sources/upstream/auth/login-store.ts')
  const logins = createLoginStore({ stateDir: environment.stateDir })
  const found = await Promise.all(
    remote.map(async (server): Promise<StayingServer | undefined> => {
      // Uses the connection of the client's file, because its secrets are not in our secrets file yet.
      const written = servers.find(({ origin }) => origin.path === server.origin.path)
      const prepared = written && (await prepareConnection(written.connection, environment.env).catch(() => undefined))
      const connection = prepared && remoteIn(prepared)
      // A variable of the connection is not set. `install` lists such variables.
      if (connection === undefined) return undefined
      const access = await checkAccess({ server: server.name, connection, logins, timeoutMs, signal })
      const why = access === 'usable' ? undefined : reasonFor(access, server.name, connection)
      return why === undefined ? undefined : { name: writtenNameOf(server), path: server.origin.path, ...why }
    }),
  )
  return found.filter((one) => one !== undefined)
}

function reasonFor(
  access: Exclude<Access, 'usable'>,
  name: string,
  { auth }: RemoteConnection,
): Pick<StayingServer, 'reason' | 'command'> {
  switch (access) {
    case 'login':
      return { reason: 'it needs a login', command: `toolcrib login ${shellWord(name)}` }
    case 'refused':
      return {
        reason:
          auth?.grant === 'client_credentials'
            ? 'the login with the client credentials in its config failed'
            : 'it refuses requests (HTTP 401) and describes no login',
      }
    case 'unreachable':
      return {
        reason: 'it cannot be reached now, so it is not known whether it needs a login; the next install tries again',
      }
  }
}
