// Finds the servers that `import` renames or leaves out, with the reasons, and formats the lines about them.

import { mergeServers } from '../../config/merge-servers.ts'
import type { Variables } from '../../config/references.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import type { ConfigPlan } from '../../setup/config-plan.ts'
import type { FoundClient } from '../../setup/discover.ts'
import { writtenNameOf } from '../../setup/name-servers.ts'
import { boundToFolder } from '../../setup/staying-servers.ts'
import type { Output } from '../output/output.ts'
import { oneLine } from '../output/text.ts'

interface FoundServer {
  /** The name that its client gives it. */
  readonly server: string
  readonly client: string
  readonly file: string
}

export interface NotTaken extends FoundServer {
  readonly reason: string
}

interface Renamed extends FoundServer {
  readonly as: string
}

interface ServerSelection {
  /** The servers that are taken: each different server once, with the name that its client gives it. */
  readonly servers: readonly ServerConfig[]
  readonly renamed: readonly Renamed[]
  readonly notTaken: readonly NotTaken[]
  /** The servers that `notTaken` describes. */
  readonly leftOut: ReadonlySet<ServerConfig>
}

const SAME_NAME = 'another server with this name comes first in the same file'

/** Merges the servers of all clients as a gateway without a config file does. `renamed` has the new names. */
export function takeAll(found: readonly FoundClient[], variables: Variables): ServerSelection {
  const { servers, problems } = mergeServers(found, variables)
  const dropped = problems.filter(({ severity, isAboutServing }) => severity === 'warning' && isAboutServing === true)
  const all = found.flatMap((one) => one.servers)
  const isServed = (server: ServerConfig) => servers.some(({ origin }) => origin === server.origin)
  const leftOut = all
    .filter((server) => !isServed(server))
    .filter(({ origin }) => dropped.some(({ file, path }) => file === origin.file && path === origin.path))
  return {
    servers: servers.map(({ writtenName, ...server }) => ({ ...server, name: writtenName ?? server.name })),
    renamed: renamedIn(servers),
    notTaken: leftOut.map((server) => ({ ...foundServer(server), reason: SAME_NAME })),
    leftOut: new Set(leftOut),
  }
}

export function renamedIn(servers: readonly ServerConfig[]): readonly Renamed[] {
  return servers.flatMap((server) =>
    server.writtenName === undefined ? [] : [{ ...foundServer(server), as: server.name }],
  )
}

/** The servers that a config cannot contain. */
export function unwritableServers({ clashing, unnameable }: ConfigPlan): readonly NotTaken[] {
  const withReason = (servers: readonly ServerConfig[], reason: string) =>
    servers.map((server) => ({ ...foundServer(server), reason }))
  return [
    ...withReason(clashing, SAME_NAME),
    ...withReason(unnameable, 'a config cannot contain a server with this name'),
  ]
}

/** The servers that must stay in their client, because only the client knows which folder is open. */
export function folderBoundServers(servers: readonly ServerConfig[]): readonly NotTaken[] {
  return servers.flatMap((server) => boundToFolder([server]).map(({ reason }) => ({ ...foundServer(server), reason })))
}

/** False if the server uses the folder that is open in its client: a copy would use the current folder instead. */
export function isMovable({ folderVariables }: ServerConfig): boolean {
  return folderVariables === undefined
}

/** The lines about the servers that `folderBoundServers` returned. */
export function folderBoundLines(notTaken: readonly NotTaken[], { wrap }: Output): readonly string[] {
  const lines = notTaken.flatMap(({ server, client, reason }) =>
    wrap(`Not imported: ${oneLine(server)} of ${client} (${reason})`),
  )
  return lines.length === 0 ? [] : ['', ...lines]
}

/**
 * The lines about different servers with the same name, in several files or in one file. `served` are the servers of
 * the configuration in force, which may leave these clients out.
 */
export function clashLines(
  { renamed, notTaken }: ServerSelection,
  served: readonly ServerConfig[],
  output: Output,
): readonly string[] {
  if (renamed.length + notTaken.length === 0) return []
  const described = ({ server, client, file }: FoundServer) => `${oneLine(server)} of ${client} (${output.path(file)})`
  const isServed = ({ as, file }: Renamed) => served.some(({ name, origin }) => name === as && origin.file === file)
  return [
    '',
    ...renamed.flatMap((one) =>
      output.wrap(
        `${isServed(one) ? 'Served' : 'With --write, imported'} as ${oneLine(one.as)}: ${described(one)}, because another file has a different server with this name.`,
      ),
    ),
    ...notTaken.flatMap((one) =>
      output.wrap(
        `Left out: ${described(one)}, because ${one.reason}. To import both, rename one of them in its client.`,
      ),
    ),
  ]
}

function foundServer(server: ServerConfig): FoundServer {
  return { server: writtenNameOf(server), client: server.origin.source, file: server.origin.file }
}
