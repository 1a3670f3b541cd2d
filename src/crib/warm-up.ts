// Starts the servers of a replica before it accepts requests.

import type { ServerConfig } from '../config/server-config.ts'
import type { ToolId } from '../core/tool.ts'
import { atMost } from '../core/waiting.ts'
import type { UpstreamSource } from '../sources/upstream/upstream-source.ts'

/** The maximum number of servers to start. If more are configured, only servers with called tools are started. */
const MAX_SERVERS = 8

export async function warmUp(
  servers: readonly ServerConfig[],
  sources: readonly UpstreamSource[],
  counts: ReadonlyMap<ToolId, number>,
  waitMs: number,
): Promise<void> {
  const shared = servers.filter(({ perPrincipal }) => perPrincipal !== true).map(({ name }) => name)
  const isUsed = (name: string) => [...counts.keys()].some((id) => id.startsWith(`${name}:`))
  const wanted = new Set((shared.length <= MAX_SERVERS ? shared : shared.filter(isUsed)).slice(0, MAX_SERVERS))
  const signal = new AbortController().signal
  const start = async (source: UpstreamSource) => {
    // If the tools of a server are unknown, one replica lists them. The others only start the server.
    await source.settle?.()
    await source.ensure(signal)
  }
  const starting = sources.filter(({ id }) => wanted.has(id)).map((source) => start(source).catch(() => {}))
  await atMost(waitMs, Promise.all(starting))
}
