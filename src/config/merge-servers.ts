// Servers from several places under one set of names: the first of a name wins, the others are reported.

import { isDeepStrictEqual } from 'node:util'
import type { ConfigProblem } from './problem.ts'
import type { Origin, ServerConfig, ToolRule } from './server-config.ts'

export interface ServerGroup {
  readonly servers: readonly ServerConfig[]
  readonly rules: readonly ToolRule[]
  /** Names that no later group may serve either. */
  readonly refused?: readonly string[] | undefined
}

export interface MergedServers extends ServerGroup {
  readonly problems: readonly ConfigProblem[]
}

export function mergeServers(groups: readonly ServerGroup[]): MergedServers {
  const winners = new Map<string, ServerConfig>()
  const problems: ConfigProblem[] = []
  /** The places whose lists count. */
  const counting = new Set<string>()
  const refused = new Set<string>()
  const served = groups.flatMap((group) => {
    for (const name of group.refused ?? []) refused.add(name)
    return group.servers.filter(({ name }) => !refused.has(name))
  })
  for (const server of served) {
    const winner = winners.get(server.name)
    if (winner === undefined) winners.set(server.name, server)
    else problems.push(repeated(server, winner))
    // A list that disables tools of the very same server keeps doing so, whichever entry starts it.
    if (winner === undefined || isSameServer(winner, server)) counting.add(keyOf(server.origin))
  }
  const rules = groups
    .flatMap((group) => group.rules)
    .filter(({ origin }) => origin !== undefined && counting.has(keyOf(origin)))
  return { servers: [...winners.values()], rules, problems }
}

function keyOf({ file, path }: Origin): string {
  return JSON.stringify([file, path])
}

/** The same program or address; its variables may differ. */
function isSameServer({ connection: one }: ServerConfig, { connection: other }: ServerConfig): boolean {
  if (one.type === 'stdio' && other.type === 'stdio') {
    return one.command === other.command && isDeepStrictEqual(one.args, other.args)
  }
  return one.type !== 'stdio' && other.type !== 'stdio' && one.url === other.url
}

function repeated(server: ServerConfig, winner: ServerConfig): ConfigProblem {
  const { file, path = '' } = server.origin
  // Clients repeat each other's servers as a matter of course; whoever writes one twice in our config has made a mistake.
  const isUsual = isSameServer(winner, server) && !(server.origin.source === 'config' && winner.origin.file === file)
  const where = `${winner.origin.file}${winner.origin.path === undefined ? '' : ` ${winner.origin.path}`}`
  return {
    file,
    path,
    severity: isUsual ? 'info' : 'warning',
    expected: 'a name that no other server has',
    found: `a second '${server.name}'`,
    message: `'${server.name}' is already defined in ${where}; this one is not used`,
  }
}
