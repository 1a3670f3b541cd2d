// Creates the sources of the configured servers. Unchanged servers are kept when the configuration changes.

import type { Implementation } from '@modelcontextprotocol/client'
import type { Config } from '../config/config.ts'
import { referencedNames } from '../config/connection-kinds.ts'
import { tokenIn } from '../config/http-login.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import {
  explainUnset,
  namesInPeople,
  type PeopleVariables,
  personalNames,
  valuesKeyOf,
  variablesFor,
} from '../config/people.ts'
import { prepareConnection } from '../config/prepare-connection.ts'
import { isPersonal, type Variables } from '../config/references.ts'
import { type Connection, type InheritEnv, programIn, type ServerConfig } from '../config/server-config.ts'
import { createSchemaValidator } from '../core/json-schema.ts'
import { cutLongText, onOneLine } from '../core/text.ts'
import { readVariable } from '../core/variables.ts'
import { loginRequiredIn } from '../sources/upstream/auth/login-required.ts'
import type { LoginSettings } from '../sources/upstream/auth/server-login.ts'
import { inheritedSecrets } from '../sources/upstream/environment.ts'
import { FailedElsewhere } from '../sources/upstream/failed-elsewhere.ts'
import type { ServerState } from '../sources/upstream/lifecycle.ts'
import { createPerPrincipalSource } from '../sources/upstream/per-principal.ts'
import { LOCAL_PERSON, type Person } from '../sources/upstream/person.ts'
import { createRedactor, type Redactor } from '../sources/upstream/redactor.ts'
import { secretsOf } from '../sources/upstream/secrets.ts'
import type { UpstreamSettings } from '../sources/upstream/settings.ts'
import type { SharedBreaker } from '../sources/upstream/shared-breaker.ts'
import { StartFailure } from '../sources/upstream/start-failure.ts'
import { createStartLimiter } from '../sources/upstream/start-limiter.ts'
import { createUpstreamSource, type UpstreamSource } from '../sources/upstream/upstream-source.ts'
import { createWatchdog } from '../sources/upstream/watchdog.ts'
import type { Store } from '../storage/store.ts'
import type { GatewayObserver } from './observer.ts'
import { createRetirable, type Retirable } from './retirable.ts'
import { type Withheld, withheldVariables } from './withheld-variables.ts'

interface UpstreamsOptions {
  /** True if clients will call tools. The code for calls is then loaded while the first server starts. */
  readonly expectsCalls?: boolean | undefined
  /** The variables of this process. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clientInfo: Implementation
  readonly maxStarting?: number | undefined
  /** How long a call waits for its server to start. */
  readonly startWaitMs?: number | undefined
  /** The store for manifests. */
  readonly store: Store
  /** The store for the pins of tools. */
  readonly pins?: Store
  /** Absent if no other gateway shares the store. */
  readonly breaker?: SharedBreaker | undefined
  /** Absent: servers are used without logins. */
  readonly logins?: LoginSettings
  onProblem(server: string, reason: string): void
  /** Called with lines that a server printed on stderr, without secrets and control characters. */
  onOutput?: ((server: string, lines: readonly string[]) => void) | undefined
  /**
   * Called for each failed start, even if its reason was reported before. For a server that runs once per person, only
   * starts for the local user count.
   */
  onFailedStart?(server: string, failure: FailedStartReport): void
  onServerState?: GatewayObserver['onServerState'] | undefined
}

/** Why a server could not be started, and the command to log in if the server needs a login. */
export interface FailedStartReport {
  readonly reason: string
  readonly loginCommand: string | undefined
}

export interface Upstreams {
  /** The number of servers that wait for their turn to start. */
  readonly waitingStarts: number
  readonly sources: readonly UpstreamSource[]
  /** Removes all known secrets: values of references, inherited secrets and login tokens. */
  redact(text: string): string
  /** Replaces the servers. In-flight calls of removed servers finish first. */
  update(loaded: Pick<LoadedConfig, 'servers' | 'config' | 'variables' | 'secretNames'>): void
  /** Ends the servers of a person who has lost access. */
  dismiss(principal: string): void
  [Symbol.asyncDispose](): Promise<void>
}

interface Kept extends Retirable {
  /** The source is kept while this is equal: its configuration, the values of its references, shared settings. */
  readonly key: string
}

/** The settings that all servers of one configuration share. */
interface Shared {
  readonly options: Partial<UpstreamSettings>
  readonly variables: Variables
  readonly inherit: InheritEnv
  readonly maxPeople: number | undefined
}

/** Background starts wait this long: most clients list the tools, and make their first call if any, in this time. */
const BACKGROUND_DELAY_MS = 300
const MAX_REASON_CHARS = 500
const MAX_REASONS = 5
const MAX_PEOPLE_REPORTED = 1_000
const MAX_NAME_CHARS = 100
/** Only this many login tokens are redacted, the newest ones. Older ones have most likely been renewed. */
const MAX_TOKENS = 256

export function createUpstreams(given: UpstreamsOptions): Upstreams {
  const { env, clientInfo, maxStarting, startWaitMs, store, breaker, onProblem, onOutput } = given
  const startLimiter = createStartLimiter({
    ...(maxStarting === undefined ? {} : { maxStarting }),
    backgroundDelayMs: given.expectsCalls === true ? BACKGROUND_DELAY_MS : 0,
  })
  const watchdog = createWatchdog()
  const validator = createSchemaValidator()
  const retiring = new Set<Promise<void>>()
  const secrets = new Set(inheritedSecrets(env))
  let withheld: Withheld = () => []
  /** The variables of the current configuration: a person can be added while the server of another person runs. */
  let personal: PeopleVariables = { variables: {}, people: {} }
  let tokens: readonly string[] = []
  let redactor: Redactor | undefined
  let kept: ReadonlyMap<string, Kept> = new Map()

  const create = (config: ServerConfig, { options, variables, inherit, maxPeople }: Shared, key: string): Kept => {
    const report = (reason: string) => onProblem(config.name, reason)
    const remember = (connection: Connection, ready: Connection) => {
      for (const secret of secretsOf(connection, ready)) secrets.add(secret)
      redactor = undefined
      return ready
    }
    const common = {
      config,
      options,
      store,
      pins: given.pins,
      startLimiter,
      watchdog,
      validator,
      expectsCalls: given.expectsCalls,
      // A function, because another server may be added to the configuration after this one was created.
      inheritance: () => ({ env, inherit, withheld: withheld(config.name) }),
      clientInfo,
      ...(given.logins === undefined ? {} : { logins: given.logins }),
      onSecrets(found: readonly string[]) {
        tokens = [...tokens, ...found].slice(-MAX_TOKENS)
        redactor = undefined
      },
      onProblem: report,
      breaker,
    }
    const reportFailedStart = ({ reason = '', failure }: ServerState) =>
      given.onFailedStart?.(config.name, { reason, loginCommand: loginRequiredIn(failure)?.command })
    if (config.perPrincipal === true) {
      const reportFor = createPersonReporter(report)
      const names = personalNames(config.connection)
      const source = createPerPrincipalSource({
        ...common,
        maxPeople,
        async resolveFor(person, connection) {
          const own = variablesFor(person, personal)
          const preparing = prepareConnection(connection, own).catch((error: unknown) => {
            throw explainUnset(error, person)
          })
          return remember(connection, await preparing)
        },
        valuesKey: (person) => valuesKeyOf(names, person, personal),
        ...(onOutput === undefined
          ? {}
          : { onOutput: (lines, person) => onOutput(config.name, lines.map(markedWith(person))) }),
        onState(state, person) {
          reportFor(state, person)
          given.onServerState?.(config.name, state.state)
          // A failed start for one person does not mean that the server fails for others.
          if (state.state === 'failed' && person === LOCAL_PERSON) reportFailedStart(state)
        },
      })
      return { ...createRetirable(source), key }
    }
    const reportState = createFailureReporter(report)
    const source = createUpstreamSource({
      ...common,
      resolve: async (connection) => remember(connection, await prepareConnection(connection, variables)),
      ...(onOutput === undefined ? {} : { onOutput: (lines) => onOutput(config.name, lines) }),
      onState(state) {
        reportState(state)
        // Another gateway tried to start the server, and reports this state itself.
        if (!(state.failure instanceof FailedElsewhere)) given.onServerState?.(config.name, state.state)
        if (state.state === 'failed') reportFailedStart(state)
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
    get waitingStarts() {
      return startLimiter.waiting
    },
    redact(text) {
      redactor ??= createRedactor([...secrets, ...tokens])
      return redactor.text(text)
    },
    get sources() {
      return [...kept.values()].map(({ source }) => source)
    },
    update({ servers, config, variables, secretNames = [] }) {
      const globalInherit = config.inheritEnv
      withheld = withheldVariables(servers, {
        secretNames: [...secretNames, ...namesInPeople(config.people)],
        tokens: Object.values(config.http.tokens).map(tokenIn),
      })
      personal = { variables, people: config.people }
      const maxPeople = config.limits.maxPeoplePerServer
      const options = { ...settingsOf(config), ...(startWaitMs === undefined ? {} : { startWaitMs }) }
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
        next.set(
          server.name,
          before?.key === key ? before : create(server, { options, variables, inherit, maxPeople }, key),
        )
      }
      for (const [name, one] of kept) if (next.get(name) !== one) retire(one)
      kept = next
    },
    dismiss(principal) {
      for (const { source } of kept.values()) source.dismiss?.(principal)
    },
    async [Symbol.asyncDispose]() {
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
    ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
    ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(maxMessageBytes === undefined ? {} : { maxFrameBytes: maxMessageBytes }),
    ...(maxQuestions === undefined ? {} : { maxQuestions }),
  }
}

/** Reports each reason for a failed start once, and at most MAX_REASONS of them, until the server has started. */
function createFailureReporter(report: (reason: string) => void): (state: ServerState) => void {
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

/** Marks a line of the server with the person it runs for. The name can come from a company login, so it is cut. */
function markedWith({ name }: Person): (line: string) => string {
  const mark = cutLongText(onOneLine(name), MAX_NAME_CHARS)
  return (line) => `[${mark}] ${line}`
}

/** Like `createFailureReporter`, separately for each person. Remembers a bounded number of people. */
function createPersonReporter(report: (reason: string) => void): (state: ServerState, person: Person) => void {
  const reports = new Map<string, (state: ServerState) => void>()
  return (state, { key, name }) => {
    const known = reports.get(key) ?? createFailureReporter((reason) => report(`for '${name}': ${reason}`))
    reports.delete(key)
    reports.set(key, known)
    for (const oldest of reports.keys()) {
      if (reports.size <= MAX_PEOPLE_REPORTED) break
      reports.delete(oldest)
    }
    known(state)
  }
}
