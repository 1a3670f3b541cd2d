// For gateways that share a store: compares their configurations, and starts servers before the first request.

import { createHash } from 'node:crypto'
import type { LoadedConfig } from '../config/load/load.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { ToolId } from '../core/tool.ts'
import { atMost } from '../core/waiting.ts'
import type { UpstreamSource } from '../sources/upstream/upstream-source.ts'
import type { Store } from '../storage/store.ts'

interface ConfigVersionsOptions {
  readonly store: Store
  /** Called when gateways have had different configurations in ROUNDS_BEFORE_REPORT rounds in a row. */
  onDifference(message: string): void
  /** The interval at which a gateway renews its entry (default 10,000). An entry expires after three intervals. */
  readonly everyMs?: number
}

const EVERY_MS = 10_000
/** After this many rounds, an edit has reached all gateways, and the entry of the old configuration has expired. */
const ROUNDS_BEFORE_REPORT = 6
// Its prefix differs from that of the entries. Gateways watch the index, and must not be notified of each renewal.
const INDEX = 'configs/all'
const MAX_KNOWN = 20

/**
 * Counts the different configurations of the gateways that share the store. Each configuration has an entry that its
 * gateways renew, and that expires. An index lists the configurations. A gateway reads the index and the entries of the
 * other configurations, so the cost does not depend on the number of gateways.
 */
export function followConfigs(
  loaded: LoadedConfig,
  { store, onDifference, everyMs = EVERY_MS }: ConfigVersionsOptions,
) {
  let own = versionOf(loaded)
  let others: readonly string[] = []
  let roundsWithDifference = 0
  const keyOf = (version: string) => `config/${version}`
  const readOthers = async () => {
    const known = parseVersions(await store.get(INDEX))
    const present: string[] = []
    for (const version of known) {
      if (version !== own && (await store.get(keyOf(version))) !== undefined) present.push(version)
    }
    others = present
    return known
  }
  const renew = async () => {
    // While the store is out of reach, the configurations of other gateways are unknown.
    if (store.isDegraded?.() === true) return
    await store.set(keyOf(own), true, { ttlMs: 3 * everyMs })
    const known = await readOthers()
    const wanted = [own, ...others].slice(0, MAX_KNOWN)
    // The index is written only if it changes, because all gateways watch it.
    if (!known.includes(own) || known.length > wanted.length)
      await store.update?.(INDEX, (value) => [
        ...new Set([own, ...parseVersions(value).filter((one) => wanted.includes(one))]),
      ])
    roundsWithDifference = others.length === 0 ? 0 : roundsWithDifference + 1
    if (roundsWithDifference === ROUNDS_BEFORE_REPORT)
      onDifference(
        `the gateways that share this store run with ${others.length + 1} different configurations; give all of them the same one`,
      )
  }
  const inBackground = (work: () => Promise<unknown>) => void work().catch(() => {})
  const timer = setInterval(() => inBackground(renew), everyMs).unref()
  const unwatch = store.watch?.(INDEX, () => inBackground(readOthers))
  inBackground(renew)
  return {
    /** How many different configurations the gateways run with. 1 if all have the same. */
    get count(): number {
      return others.length + 1
    },
    /** Call it when another configuration takes effect. */
    update(next: LoadedConfig): void {
      own = versionOf(next)
      inBackground(renew)
    },
    close(): void {
      clearInterval(timer)
      unwatch?.()
    },
  }
}

/**
 * A hash of the parts that must be the same everywhere. The address, the paths of files, the store
 * setting and the plugins may differ.
 */
function versionOf({ config, servers, rules, projectRules }: LoadedConfig): string {
  const { http, audit, store: _store, plugins: _plugins, ...settings } = config
  const { host: _host, port: _port, tls: _tls, ...httpSettings } = http
  const { file: _file, ...auditSettings } = audit
  const parts = [settings, httpSettings, auditSettings, ...[servers, rules, projectRules].map(withoutOrigins)]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

function withoutOrigins(entries: readonly { readonly origin?: unknown }[]): readonly object[] {
  return entries.map(({ origin: _origin, ...entry }) => entry)
}

function parseVersions(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** The maximum number of servers to start. If more are configured, only servers with called tools are started. */
const MAX_SERVERS = 8

/** Starts the servers of a replica before it accepts requests. */
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
