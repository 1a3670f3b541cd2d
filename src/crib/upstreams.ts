// The configured servers as sources. Unchanged servers are kept when the configuration changes.

import type { Implementation } from '@modelcontextprotocol/client'
import type { Config } from '../config/config.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import { prepareConnection } from '../config/prepare-connection.ts'
import { referencedNames, type Variables } from '../config/references.ts'
import type { InheritEnv, ServerConfig } from '../config/server-config.ts'
import { createSchemaValidator } from '../core/json-schema.ts'
import { cutLongText, onOneLine } from '../core/text.ts'
import { readVariable } from '../core/variables.ts'
import { loginRequiredIn } from '../sources/upstream/auth/login-required.ts'
import type { LoginSettings } from '../sources/upstream/auth/server-login.ts'
import { inheritedSecrets } from '../sources/upstream/environment.ts'
import type { ServerState } from '../sources/upstream/lifecycle.ts'
import { createRedactor, type Redactor } from '../sources/upstream/redactor.ts'
import { secretsOf } from '../sources/upstream/secrets.ts'
import type { UpstreamSettings } from '../sources/upstream/settings.ts'
import { StartFailure } from '../sources/upstream/start-failure.ts'
import { createStartLimiter } from '../sources/upstream/start-limiter.ts'
import { createUpstreamSource, type UpstreamSource } from '../sources/upstream/upstream-source.ts'
import { createWatchdog } from '../sources/upstream/watchdog.ts'
import type { Store } from '../storage/store.ts'
import { createRetirable, type Retirable } from './retirable.ts'
import { type Withheld, withheldVariables } from './withheld-variables.ts'

interface UpstreamsOptions {
  /** True if clients will call tools. The code for that is then loaded while the first server starts. */
  readonly expectsCalls?: boolean | undefined
  /** The variables of this process. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clientInfo: Implementation
  readonly maxStarting?: number | undefined
  /** How long a call waits for its server to start. */
  readonly startWaitMs?: number | undefined
  /** The store for manifests. */
  readonly store: Store
  /** Absent: servers are used without logins. */
  readonly logins?: LoginSettings
  onProblem(server: string, reason: string): void
  /** Called with lines that a server printed on stderr, without secrets and control characters. */
  onOutput?: ((server: string, lines: readonly string[]) => void) | undefined
  /** Called for each failed start, even if its reason was reported before. */
  onFailedStart?(server: string, failure: FailedStartReport): void
}

/** Why a server could not be started, and the command to log in if it needs that. */
export interface FailedStartReport {
  readonly reason: string
  readonly loginCommand: string | undefined
}

interface Upstreams {
  readonly sources: readonly UpstreamSource[]
  /** Removes the values of all references that servers were started with. */
  redact(text: string): string
  /** Replaces the servers. In-flight calls of removed servers finish first. */
  update(loaded: Pick<LoadedConfig, 'servers' | 'config' | 'variables' | 'secretNames'>): void
  [Symbol.asyncDispose](): Promise<void>
}

interface Kept extends Retirable {
  /** The configuration of the server with resolved references. A server with the same key keeps its source. */
  readonly key: string
}

/** The settings that all servers of one configuration share. */
interface Shared {
  readonly options: Partial<UpstreamSettings>
  readonly variables: Variables
  readonly inherit: InheritEnv
}

const MAX_REASON_CHARS = 500
const MAX_REASONS = 5
/** Tokens are renewed again and again, and an old one is no longer valid. */
const MAX_TOKENS = 256

export function createUpstreams(given: UpstreamsOptions): Upstreams {
  const { env, clientInfo, maxStarting, startWaitMs, store, onProblem, onOutput } = given
  const startLimiter = createStartLimiter(maxStarting === undefined ? {} : { maxStarting })
  const watchdog = createWatchdog()
  const validator = createSchemaValidator()
  const retiring = new Set<Promise<void>>()
  const secrets = new Set(inheritedSecrets(env))
  let withheld: Withheld = () => []
  let tokens: readonly string[] = []
  let redactor: Redactor | undefined
  let kept: ReadonlyMap<string, Kept> = new Map()

  const create = (config: ServerConfig, { options, variables, inherit }: Shared, key: string): Kept => {
    const report = (reason: string) => onProblem(config.name, reason)
    const reportProblem = reportFailures(report)
    const source = createUpstreamSource({
      config,
      options,
      store,
      startLimiter,
      watchdog,
      validator,
      expectsCalls: given.expectsCalls,
      // The list of the last configuration: another server may have been added since this one was created.
      inheritance: () => ({ env, inherit, withheld: withheld(config.name) }),
      clientInfo,
      async resolve(connection) {
        const ready = await prepareConnection(connection, variables)
        for (const secret of secretsOf(connection, ready)) secrets.add(secret)
        redactor = undefined
        return ready
      },
      ...(given.logins === undefined ? {} : { logins: given.logins }),
      onSecrets(found) {
        tokens = [...tokens, ...found].slice(-MAX_TOKENS)
        redactor = undefined
      },
      onProblem: report,
      ...(onOutput === undefined ? {} : { onOutput: (lines) => onOutput(config.name, lines) }),
      onState(state) {
        reportProblem(state)
        if (state.state === 'failed') {
          const loginCommand = loginRequiredIn(state.failure)?.command
          given.onFailedStart?.(config.name, { reason: state.reason ?? '', loginCommand })
        }
      },
    })
    return { ...createRetirable(source), key }
  }
  const retire = (gone: Kept) => {
    const work = gone.retire()
    retiring.add(work)
    void work.finally(() => retiring.delete(work))
  }

  return {
    redact(text) {
      redactor ??= createRedactor([...secrets, ...tokens])
      return redactor.text(text)
    },
    get sources() {
      return [...kept.values()].map(({ source }) => source)
    },
    update({ servers, config, variables, secretNames = [] }) {
      const general = config.inheritEnv
      withheld = withheldVariables(servers, { secretNames, tokens: Object.values(config.http.tokens) })
      const options = { ...settingsOf(config), ...(startWaitMs === undefined ? {} : { startWaitMs }) }
      const next = new Map<string, Kept>()
      for (const server of servers) {
        if (!server.enabled) continue
        const { origin: _origin, ...rest } = server
        const values = referencedNames(server.connection).map((name) => readVariable(variables, name))
        const { connection } = server
        const inherit = connection.type === 'stdio' ? (connection.inheritEnv ?? general) : false
        const key = JSON.stringify([rest, options, values, inherit])
        const before = kept.get(server.name)
        next.set(server.name, before?.key === key ? before : create(server, { options, variables, inherit }, key))
      }
      for (const [name, one] of kept) if (next.get(name) !== one) retire(one)
      kept = next
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...retiring, ...[...kept.values()].map(({ source }) => source[Symbol.asyncDispose]())])
    },
  }
}

function settingsOf({ discovery, limits }: Config): Partial<UpstreamSettings> {
  const { callTimeoutMs, startTimeoutMs, idleMs, maxMessageBytes, maxQuestions } = limits
  return {
    ttlMs: discovery.cache.ttl * 1_000,
    ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
    ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(maxMessageBytes === undefined ? {} : { maxFrameBytes: maxMessageBytes }),
    ...(maxQuestions === undefined ? {} : { maxQuestions }),
  }
}

/** Reports each reason for a failed start once, until the server starts. */
function reportFailures(report: (reason: string) => void): (state: ServerState) => void {
  const reported = new Set<string>()
  return ({ state, reason = '', failure }) => {
    if (state === 'connected') reported.clear()
    // Compares without the server's own output, which may contain a time or a process id.
    const why = failure instanceof StartFailure ? failure.reason : reason
    if (state !== 'failed' || reported.has(why) || reported.size >= MAX_REASONS) return
    reported.add(why)
    report(`it could not be started: ${cutLongText(onOneLine(reason), MAX_REASON_CHARS)}`)
  }
}
