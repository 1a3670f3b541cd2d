// Servers of clients that are not taken over, and why: two clients may mean two servers by one name.

import { isDeepStrictEqual } from 'node:util'
import type { ServerConfig } from '../../config/server-config.ts'
import { oneLine, shortPath, wrap } from '../output/text.ts'
import type { ConfigPlan } from './config-plan.ts'
import type { FoundClient } from './discover.ts'

export interface NotTaken {
  readonly server: string
  readonly client: string
  readonly file: string
  readonly reason: string
}

export interface Taken {
  readonly servers: readonly ServerConfig[]
  readonly notTaken: readonly NotTaken[]
}

/** The first of a name wins, as it does when they are imported unasked; the same once more is no loss. */
export function firstOfEachName(found: readonly FoundClient[]): Taken {
  const first = new Map<string, { readonly client: string; readonly server: ServerConfig }>()
  const notTaken: NotTaken[] = []
  for (const { client, path, servers } of found) {
    for (const server of servers) {
      const taken = first.get(server.name)
      if (taken === undefined) first.set(server.name, { client, server })
      else if (!isSame(taken.server, server)) {
        const reason = `${taken.client} has another server of this name, and comes first`
        notTaken.push({ server: server.name, client, file: path, reason })
      }
    }
  }
  return { servers: [...first.values()].map(({ server }) => server), notTaken }
}

/** Those that the config itself keeps out. */
export function keptOut({ clashing, unnameable }: ConfigPlan, found: readonly FoundClient[]): readonly NotTaken[] {
  const of = (names: readonly string[], reason: string) =>
    names.flatMap((server) => {
      const owner = found.find(({ servers }) => servers.some(({ name }) => name === server))
      return owner === undefined ? [] : [{ server, client: owner.client, file: owner.path, reason }]
    })
  return [
    ...of(clashing, 'the config has another server of this name'),
    ...of(unnameable, 'no config can hold a server of this name'),
  ]
}

export function notTakenLines(notTaken: readonly NotTaken[], home: string, width: number): readonly string[] {
  if (notTaken.length === 0) return []
  return [
    '',
    ...notTaken.flatMap(({ server, client, file, reason }) =>
      wrap(
        `Left out: ${oneLine(server)} of ${client} (${oneLine(shortPath(file, home))}), because ${reason}. Give one of the two another name in its client to have both.`,
        width,
      ),
    ),
  ]
}

function isSame(one: ServerConfig, other: ServerConfig): boolean {
  return one.enabled === other.enabled && isDeepStrictEqual(one.connection, other.connection)
}
