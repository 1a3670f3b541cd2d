// The lines of `import` about servers that share a name: which are renamed, and which are not taken over.

import { mergeServers } from '../../config/merge-servers.ts'
import type { Variables } from '../../config/references.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { oneLine, shortPath, wrap } from '../output/text.ts'
import type { ConfigPlan } from './config-plan.ts'
import type { FoundClient } from './discover.ts'
import { writtenNameOf } from './name-servers.ts'

interface FoundServer {
  /** The name that its client gives it. */
  readonly server: string
  readonly client: string
  readonly file: string
}

export interface NotTaken extends FoundServer {
  readonly reason: string
}

export interface Renamed extends FoundServer {
  readonly as: string
}

export interface Taken {
  /** Each different server once, under the name that its client gives it. */
  readonly servers: readonly ServerConfig[]
  readonly renamed: readonly Renamed[]
  readonly notTaken: readonly NotTaken[]
}

/** The same names as without a config: there the servers of every client are imported unasked. */
export function takeAll(found: readonly FoundClient[], variables: Variables): Taken {
  const { servers, problems } = mergeServers(found, variables)
  const dropped = problems.filter(({ severity, isAboutServing }) => severity === 'warning' && isAboutServing === true)
  const all = found.flatMap((one) => one.servers)
  const isServed = (server: ServerConfig) => servers.some(({ origin }) => origin === server.origin)
  return {
    servers: servers.map(({ writtenName, ...server }) => ({ ...server, name: writtenName ?? server.name })),
    renamed: renamedIn(servers),
    notTaken: all
      .filter((server) => !isServed(server))
      .filter(({ origin }) => dropped.some(({ file, path }) => file === origin.file && path === origin.path))
      .map((server) => ({ ...foundServer(server), reason: 'its file has another server of this name before it' })),
  }
}

export function renamedIn(servers: readonly ServerConfig[]): readonly Renamed[] {
  return servers.flatMap((server) =>
    server.writtenName === undefined ? [] : [{ ...foundServer(server), as: server.name }],
  )
}

/** Those that the config itself keeps out. */
export function keptOut({ clashing, unnameable }: ConfigPlan): readonly NotTaken[] {
  const of = (servers: readonly ServerConfig[], reason: string) =>
    servers.map((server) => ({ ...foundServer(server), reason }))
  return [
    ...of(clashing, 'its file has another server of this name before it'),
    ...of(unnameable, 'no config can hold a server of this name'),
  ]
}

export function clashLines({ renamed, notTaken }: Taken, home: string, width: number): readonly string[] {
  if (renamed.length + notTaken.length === 0) return []
  const place = ({ server, client, file }: FoundServer) =>
    `${oneLine(server)} of ${client} (${oneLine(shortPath(file, home))})`
  return [
    '',
    ...renamed.flatMap((one) =>
      wrap(
        `Served as ${oneLine(one.as)}: ${place(one)}, because another client has a different server of this name.`,
        width,
      ),
    ),
    ...notTaken.flatMap((one) =>
      wrap(
        `Left out: ${place(one)}, because ${one.reason}. Give one of the two another name in its client to have both.`,
        width,
      ),
    ),
  ]
}

function foundServer(server: ServerConfig): FoundServer {
  return { server: writtenNameOf(server), client: server.origin.source, file: server.origin.file }
}
