// The sources of the configured servers. Unchanged servers are kept when the configuration changes.

import type { Config } from '../config/config.ts'
import { referencedNames } from '../config/connection-kinds.ts'
import { tokenIn } from '../config/http-settings.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import { namesInPeople, type PeopleVariables } from '../config/people.ts'
import { isPersonal } from '../config/references.ts'
import { programIn } from '../config/server-config.ts'
import { defined } from '../core/defined.ts'
import { readVariable } from '../core/variables.ts'
import type { UpstreamSettings } from '../sources/upstream/settings.ts'
import { createStartLimiter } from '../sources/upstream/start-limiter.ts'
import type { UpstreamSource } from '../sources/upstream/upstream-source.ts'
import { createKnownSecrets, type Withheld, withheldVariables } from './server-secrets.ts'
import { createServerSources, type ServerSourceOptions } from './server-sources.ts'

interface UpstreamsOptions extends ServerSourceOptions {
  readonly maxStarting?: number | undefined
  /** How long a call waits for its server to start. */
  readonly startWaitMs?: number | undefined
}

interface Kept {
  readonly source: UpstreamSource
  /** The source is kept while this is equal: its configuration, the values of its references, shared settings. */
  readonly key: string
  /** Closes the source when no call or other request is in flight, or after GRACE_MS. Never rejects. */
  retire(): Promise<void>
}

/** Background starts wait this long. In this time, most clients list the tools and may make their first call. */
const BACKGROUND_DELAY_MS = 300
/** The same as the default timeout of a call. */
const GRACE_MS = 60_000

export function createUpstreams(given: UpstreamsOptions) {
  const { maxStarting, startWaitMs, breaker } = given
  const startLimiter = createStartLimiter({
    ...defined({ maxStarting }),
    backgroundDelayMs: given.expectsCalls === true ? BACKGROUND_DELAY_MS : 0,
  })
  const retiring = new Set<Promise<void>>()
  const secrets = createKnownSecrets(given.env)
  let withheld: Withheld = () => []
  /** Replaced by each `update`, because a person can be added while the server of another person runs. */
  let personal: PeopleVariables = { variables: {}, people: {} }
  let kept: ReadonlyMap<string, Kept> = new Map()

  const createSource = createServerSources({
    ...given,
    startLimiter,
    secrets,
    withheld: (server) => withheld(server),
    personal: () => personal,
  })
  const retire = (gone: Kept) => {
    const work = gone.retire()
    retiring.add(work)
    void work.finally(() => retiring.delete(work))
  }

  return {
    /** The number of servers that wait for their turn to start. */
    get waitingStarts(): number {
      return startLimiter.waiting
    },
    redact: secrets.redact,
    get sources(): readonly UpstreamSource[] {
      return [...kept.values()].map(({ source }) => source)
    },
    /** Replaces the servers. A removed or changed server ends after its calls, or after GRACE_MS. */
    update(loaded: Pick<LoadedConfig, 'servers' | 'config' | 'variables' | 'secretNames'>): void {
      const { servers, config, variables, secretNames = [] } = loaded
      const globalInherit = config.inheritEnv
      withheld = withheldVariables(servers, {
        secretNames: [...secretNames, ...namesInPeople(config.people)],
        tokens: Object.values(config.http.tokens).map(tokenIn),
      })
      personal = { variables, people: config.people }
      const maxPeople = config.limits.maxPeoplePerServer
      const options = { ...settingsOf(config), ...defined({ startWaitMs }) }
      const next = new Map<string, Kept>()
      for (const server of servers) {
        if (!server.enabled) continue
        const { origin: _origin, ...rest } = server
        const names = referencedNames(server.connection).filter((name) => !isPersonal(name))
        const values = names.map((name) => readVariable(variables, name))
        // A person must not act with a token that only the environment of the gateway has.
        const defaultInherit = server.perPrincipal === true && globalInherit === true ? false : globalInherit
        const program = programIn(server.connection)
        const inherit = program === undefined ? false : (program.inheritEnv ?? defaultInherit)
        const key = JSON.stringify([rest, options, values, inherit, ...(rest.perPrincipal === true ? [maxPeople] : [])])
        const before = kept.get(server.name)
        const create = () => keep(createSource(server, { options, variables, inherit, maxPeople }), key)
        next.set(server.name, before?.key === key ? before : create())
      }
      for (const [name, one] of kept) if (next.get(name) !== one) retire(one)
      kept = next
    },
    /** Ends the servers of a person who has lost access. */
    dismiss(principal: string): void {
      for (const { source } of kept.values()) source.dismiss?.(principal)
    },
    async [Symbol.asyncDispose](): Promise<void> {
      breaker?.dispose()
      await Promise.allSettled([...retiring, ...[...kept.values()].map(({ source }) => source[Symbol.asyncDispose]())])
    },
  }
}

function settingsOf({ discovery, limits }: Config): Partial<UpstreamSettings> {
  const { callTimeoutMs, startTimeoutMs, idleMs, maxMessageBytes, maxQuestions } = limits
  return {
    ttlMs: discovery.cache.ttl * 1_000,
    pinning: discovery.pinning,
    ...defined({ callTimeoutMs, startTimeoutMs, idleMs, maxFrameBytes: maxMessageBytes, maxQuestions }),
  }
}

/** Counts the calls and the other requests of clients to a source that are in flight. */
function keep(source: UpstreamSource, key: string): Kept {
  let running = 0
  let onIdle: (() => void) | undefined
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    running++
    try {
      return await work()
    } finally {
      running--
      if (running === 0) onIdle?.()
    }
  }
  return {
    key,
    source: {
      ...source,
      call: (...args) => counted(() => source.call(...args)),
      request: (...args) => counted(() => source.request(...args)),
    },
    async retire() {
      if (running > 0) {
        await new Promise<void>((resolve) => {
          onIdle = resolve
          setTimeout(resolve, GRACE_MS).unref()
        })
      }
      await source[Symbol.asyncDispose]().catch(() => {})
    },
  }
}
