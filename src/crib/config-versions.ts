// Finds out whether all gateways that share a store run with the same configuration.

import { createHash } from 'node:crypto'
import type { LoadedConfig } from '../config/load/load.ts'
import type { Store } from '../storage/store.ts'

interface ConfigVersions {
  /** How many configurations the gateways run with. 1 if all have the same. */
  readonly count: number
  /** Call it when another configuration takes effect. */
  update(loaded: LoadedConfig): void
  close(): void
}

interface ConfigVersionsOptions {
  readonly store: Store
  /** Called when gateways have had different configurations for a while. */
  onDifference(message: string): void
  /** How often a gateway says which configuration it has (default 10,000). After three times it is forgotten. */
  readonly everyMs?: number
}

const EVERY_MS = 10_000
/** An edit reaches all gateways before that, and the one before it is forgotten. */
const ROUNDS_BEFORE_REPORT = 6
// Another group than the entries below: their renewals must not be sent to all gateways.
const INDEX = 'configs/all'
const MAX_KNOWN = 20

/**
 * Each configuration has an entry that its gateways renew, and that expires. An index lists the configurations. A gateway
 * reads the index and the entries of the others, so the cost does not depend on the number of gateways.
 */
export function followConfigs(
  loaded: LoadedConfig,
  { store, onDifference, everyMs = EVERY_MS }: ConfigVersionsOptions,
): ConfigVersions {
  let own = versionOf(loaded)
  let others: readonly string[] = []
  let rounds = 0
  const keyOf = (version: string) => `config/${version}`
  const look = async () => {
    const known = namesIn(await store.get(INDEX))
    const alive: string[] = []
    for (const version of known) {
      if (version !== own && (await store.get(keyOf(version))) !== undefined) alive.push(version)
    }
    others = alive
    return known
  }
  const round = async () => {
    // While the store is out of reach, nothing is known about the others.
    if (store.isDegraded?.() === true) return
    await store.set(keyOf(own), true, { ttlMs: 3 * everyMs })
    const known = await look()
    const wanted = [own, ...others].slice(0, MAX_KNOWN)
    // Written only if it changes: all gateways watch it.
    if (!known.includes(own) || known.length > wanted.length)
      await store.update?.(INDEX, (value) => [
        ...new Set([own, ...namesIn(value).filter((one) => wanted.includes(one))]),
      ])
    rounds = others.length === 0 ? 0 : rounds + 1
    if (rounds === ROUNDS_BEFORE_REPORT)
      onDifference(`the gateways of this store run with ${others.length + 1} different configurations`)
  }
  const quietly = (work: () => Promise<unknown>) => void work().catch(() => {})
  const timer = setInterval(() => quietly(round), everyMs).unref()
  const unwatch = store.watch?.(INDEX, () => quietly(look))
  quietly(round)
  return {
    get count() {
      return others.length + 1
    },
    update(next) {
      own = versionOf(next)
      quietly(round)
    },
    close() {
      clearInterval(timer)
      unwatch?.()
    },
  }
}

/** A hash of the parts that must be the same everywhere. The address and the files of each machine may differ. */
function versionOf({ config, servers, rules, projectRules }: LoadedConfig): string {
  const { http, audit, store: _store, plugins: _plugins, ...settings } = config
  const { host: _host, port: _port, tls: _tls, ...door } = http
  const { file: _file, ...record } = audit
  const described = servers.map(({ origin: _origin, ...server }) => server)
  const parts = [settings, door, record, described, rules, projectRules]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
