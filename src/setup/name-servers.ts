// Chooses the names of the clients' servers in our config. Two different servers never share a name.

import { freeServerName, isSameServer } from '../config/merge-servers.ts'
import type { Variables } from '../config/references.ts'
import type { ServerConfig } from '../config/server-config.ts'

export interface NamedServers {
  /** Servers to add, with `writtenName` if the client uses another name. */
  readonly added: readonly ServerConfig[]
  /** Servers that our config already has, with the name in our config. */
  readonly present: readonly ServerConfig[]
  /** A second, different server with the same name in the same file. It is not added. */
  readonly clashing: readonly ServerConfig[]
  /** Servers with a name that a config cannot contain, because parsers drop the key. */
  readonly unnameable: readonly ServerConfig[]
}

/** The servers of `current` are served now and keep their names. */
export function nameServers(
  servers: readonly ServerConfig[],
  current: { readonly servers: readonly ServerConfig[] } | undefined,
  variables: Variables,
): NamedServers {
  const served = current?.servers ?? []
  // Excludes servers that come from the files of clients, because `install` may remove them from those files.
  const own = new Map(served.filter(({ origin }) => origin.source === 'config').map((one) => [one.name, one]))
  const taken = new Set([...served, ...servers].flatMap(({ name, writtenName = name }) => [name, writtenName]))
  const spellings = new Set([...taken].map((name) => name.toLowerCase()))
  const result = { added: [] as ServerConfig[], present: [] as ServerConfig[], clashing: [] as ServerConfig[] }
  for (const server of servers.filter(isNameable)) {
    const { name, origin } = server
    const isSame = (other: ServerConfig) => isSameServer(other, server, variables)
    const present = [...own.values()].find(
      (one) => (one.name === name || one.name.startsWith(`${name}-`)) && isSame(one),
    )
    if (present !== undefined) {
      result.present.push(rename(server, present.name))
      continue
    }
    const servedName = served.find((one) => one.origin.file === origin.file && one.origin.path === origin.path)?.name
    const isFree = (candidate: string) => {
      if (own.has(candidate)) return false
      const other = served.find((one) => one.name === candidate)
      return other === undefined || candidate === servedName || isSame(other)
    }
    // Tries the name in the client's file first: the other server that had this name may no longer be served.
    const preferred = [name, servedName ?? name].find(isFree)
    const isSecond = result.added.some((one) => one.origin.file === origin.file && writtenNameOf(one) === name)
    if (preferred === undefined && isSecond) {
      result.clashing.push(server)
      continue
    }
    const free = preferred ?? freeServerName(name, origin.source, (one) => !spellings.has(one.toLowerCase()))
    spellings.add(free.toLowerCase())
    const added = rename(server, free)
    own.set(free, added)
    result.added.push(added)
  }
  return { ...result, unnameable: servers.filter((server) => !isNameable(server)) }
}

export function writtenNameOf({ name, writtenName = name }: ServerConfig): string {
  return writtenName
}

function rename(server: ServerConfig, name: string): ServerConfig {
  return server.name === name ? server : { ...server, name, writtenName: server.name }
}

function isNameable({ name }: ServerConfig): boolean {
  return name !== '__proto__'
}
