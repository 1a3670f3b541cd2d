// Runs a gateway inside a command, with the same dispatcher as for a client, and starts servers that the command needs.

import type { LoadedConfig } from '../../config/load/load.ts'
import type { CommandResult } from '../../core/result.ts'
import { messageOf } from '../../core/text.ts'
import { MAX_TIMER_MS, withTimeout } from '../../core/waiting.ts'
import { createGateway } from '../../crib/from-config.ts'
import type { Request } from '../../crib/request.ts'
import type { View } from '../../disclosure/view.ts'
import type { KnownTools, RuleFinding } from '../../rules/rule-findings.ts'
import { type CompiledRuleSets, compileRuleSets, findOddInSets, type OwnedFinding } from '../../rules/rule-sets.ts'
import type { Ranker } from '../../search/ranker.ts'
import { loadValid } from '../../setup/load-config.ts'
import { loginRequiredIn } from '../../sources/upstream/auth/login-errors.ts'
import type { UpstreamSource } from '../../sources/upstream/upstream-source.ts'
import type { Unreachable } from '../output/error-for-people.ts'
import type { ConfigWarning } from '../output/notes.ts'
import { count } from '../output/text.ts'
import type { Work } from '../output/work.ts'
import { rememberFailures } from './failed-starts.ts'
import { ownSourceNames, type ServedConfig, servedConfig } from './served-config.ts'
import { notStartable, type Unreached } from './unreachable.ts'

export interface CommandSession extends ServedConfig {
  readonly loaded: LoadedConfig
  /** The names of the enabled servers, and of the sources that the config defines in code. */
  readonly servers: readonly string[]
  /** Calls `execute_tool` with these arguments, as a client of the gateway does. */
  execute(args: object, request: Partial<Request>): Promise<CommandResult>
  view(): Promise<View>
  source(server: string): UpstreamSource | undefined
  /** Servers with unknown tools. `withSchemas`: also servers with tools that the config names without a schema. */
  unknown(withSchemas?: boolean): Promise<readonly string[]>
  /** The tools that the rules are compared with. */
  knownTools(): Promise<KnownTools>
  /** Warnings about the rules; with `server`, only those that concern that server. */
  ruleWarnings(server?: string): Promise<readonly ConfigWarning[]>
  [Symbol.asyncDispose](): Promise<void>
}

interface CommandSessionOptions {
  /** A configuration that was loaded before. */
  readonly loaded?: LoadedConfig
  /** Default: false, so that no call can start a server. */
  readonly startsServers?: boolean
  /** Names of servers that the session leaves out. */
  readonly without?: readonly string[]
  readonly ranker?: Ranker
}

/** Long enough for a package that npx fetches first. */
const CHECK_WAIT_MS = 120_000

/** Returns how long a check of a server waits for its tools: at least as long as a start may take in a gateway. */
export function startWaitMs({ config }: Pick<LoadedConfig, 'config'>): number {
  return Math.max(CHECK_WAIT_MS, config.limits.startTimeoutMs ?? 0)
}

/** Every start has a timeout of its own, and a person can press Ctrl-C. */
const NO_START_LIMIT_MS = MAX_TIMER_MS

export const CALLER = { principal: 'cli', era: 'direct', transport: 'direct' } as const

/** Starts servers only with `startsServers`. */
export async function openSession(work: Work, options: CommandSessionOptions = {}): Promise<CommandSession> {
  const { environment, output, signal } = work
  const loaded = options.loaded ?? (await loadValid(work))
  const { version, ownEnv, stateDir, cacheDir } = environment
  const gateway = await createGateway({
    name: 'toolcrib',
    version,
    env: ownEnv,
    stateDir,
    cacheDir,
    strategy: 'gateway',
    strategyOptions: {},
    startWaitMs: NO_START_LIMIT_MS,
    ...(options.ranker === undefined ? {} : { ranker: options.ranker }),
    load: async () => forOneCommand(loaded, options),
    onProblem: ({ server, message }) => output.detail(server === undefined ? message : `${server}: ${message}`),
  })
  const source = (server: string) => gateway.sources.find(({ id }) => id === server)
  const unknown = async (withSchemas = false) => {
    const candidates = loaded.servers.filter(
      ({ enabled, tools = [] }) =>
        enabled && (tools.length === 0 || (withSchemas && tools.some((tool) => tool.inputSchema === undefined))),
    )
    const manifests = await Promise.all(candidates.map(({ name }) => source(name)?.manifest()))
    return candidates.filter((_, at) => manifests[at] === undefined).map(({ name }) => name)
  }
  const knownTools = async (): Promise<KnownTools> => {
    const { known } = await gateway.crib.inspect(signal)
    const tools = known.tools.map(({ sourceId, name }) => ({ server: sourceId, tool: name }))
    return { tools, unasked: await unknown(), servers: loaded.servers.map(({ name }) => name) }
  }
  return {
    loaded,
    ...servedConfig(loaded, environment.home),
    servers: [...loaded.servers.filter(({ enabled }) => enabled).map(({ name }) => name), ...ownSourceNames(loaded)],
    execute: (args, request) => gateway.crib.call('execute_tool', args, { caller: CALLER, signal, ...request }),
    view: () => gateway.crib.inspect(signal, CALLER),
    source,
    unknown,
    knownTools,
    ruleWarnings: async (server) =>
      loaded.rules.length + loaded.projectRules.length === 0 ? [] : warningsFor(loaded, await knownTools(), server),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

/** Only `config validate` and the inspector report these kinds, because they are about how a rule is written. */
const NOT_FOR_COMMANDS: readonly RuleFinding['kind'][] = ['overruled', 'word-boundary']

function warningsFor(loaded: LoadedConfig, known: KnownTools, server: string | undefined): readonly ConfigWarning[] {
  const compiled = compileRuleSets(loaded)
  return findOddInSets(compiled, known)
    .filter((finding) => !NOT_FOR_COMMANDS.includes(finding.kind))
    .filter((finding) => server === undefined || concerns(finding, server, compiled))
    .map(({ message, kind }) => (kind === 'broken' ? { message, isError: true } : { message }))
}

/** A rule for all servers concerns a server only if the rule cannot be read, because it may then disable every tool. */
function concerns(finding: OwnedFinding, server: string, { own, project }: CompiledRuleSets): boolean {
  if (finding.kind === 'server-without-tools') return finding.server === server
  const rule = (finding.owner === 'user' ? own : project).rules[finding.rule - 1]
  if (rule === undefined || !rule.covers(server)) return false
  return finding.kind === 'broken' || rule.written.server !== undefined
}

/**
 * Changes the settings for one command: a cached tool list never expires, a listing does not wait for servers, results
 * are not cut, and servers start only with `startsServers`.
 */
function forOneCommand(
  loaded: LoadedConfig,
  { startsServers = false, without = [] }: CommandSessionOptions,
): LoadedConfig {
  const { config, servers } = loaded
  const { discovery, limits } = config
  const cache = { ...discovery.cache, ttl: Number.POSITIVE_INFINITY }
  return {
    ...loaded,
    // Disabled instead of removed, because the variables that these servers refer to are withheld from the others.
    servers: servers.map((server) => (without.includes(server.name) ? { ...server, enabled: false } : server)),
    config: {
      ...config,
      discovery: { ...discovery, listWaitMs: 0, cache },
      limits: {
        ...limits,
        maxResultTokens: Number.MAX_SAFE_INTEGER,
        // With a limit of 0, a server without a cached list waits in the queue until the command ends.
        ...(startsServers ? {} : { maxStarting: 0 }),
      },
    },
  }
}

export interface ServerNeed {
  /** Whether the answer needs the tools of this server. */
  isNeeded(server: string): boolean
  /** If false, servers that failed to start a short time ago are skipped, and the wait for the others is limited. */
  readonly isPatient: boolean
  /** Whether the schemas of the tools must be known too. */
  readonly withSchemas?: boolean
}

export interface ReadySession extends CommandSession {
  readonly unreached: Unreached
  /** False if the session uses only cached tools. */
  readonly canStartServers: boolean
}

type ReadyOptions = Pick<CommandSessionOptions, 'loaded' | 'startsServers' | 'ranker'>

/** How long a command that is not patient waits, so that one dead server does not block the others. */
const IMPATIENT_MS = 15_000

/** Opens a session with the tools of all needed servers that can be reached. Starts those without a cached list. */
export async function openReadySession(
  work: Work,
  need: ServerNeed,
  options: ReadyOptions = {},
): Promise<ReadySession> {
  const { startsServers = false, ...given } = options
  const stored = await openSession(work, given)
  const unknown = await stored.unknown(need.withSchemas)
  const candidates = stored.startable.filter(({ id }) => unknown.includes(id))
  const unreachable = notStartable(candidates, work.environment, need.isPatient)
  const wanted = unknown.filter((server) => need.isNeeded(server) && !unreachable.has(server))
  if (wanted.length === 0 && !startsServers) return { ...stored, unreached: unreachable, canStartServers: false }
  await stored[Symbol.asyncDispose]()

  const without = unknown.filter((server) => !wanted.includes(server))
  const live = await openSession(work, { ...given, loaded: stored.loaded, startsServers: true, without })
  try {
    const unreached = await startServers(work, live, wanted, need.isPatient ? Number.POSITIVE_INFINITY : IMPATIENT_MS)
    work.signal.throwIfAborted()
    return { ...live, unreached: new Map([...unreachable, ...unreached]), canStartServers: true }
  } catch (error) {
    await live[Symbol.asyncDispose]()
    throw error
  }
}

async function startServers(
  work: Work,
  live: CommandSession,
  wanted: readonly string[],
  timeoutMs: number,
): Promise<Unreached> {
  const unreached = new Map<string, Unreachable>()
  const waiting = new Set(wanted)
  const progress = work.output.progress()
  const showProgress = () => {
    const [first = ''] = waiting
    const more = waiting.size > 1 ? ` and ${count(waiting.size - 1, 'other')}` : ''
    const whose = waiting.size > 1 ? 'their' : 'its'
    if (waiting.size > 0) progress.show(`Starting '${first}'${more} to list ${whose} tools…`)
  }
  showProgress()
  const startOne = async (server: string, timeout: AbortSignal) => {
    try {
      await live.source(server)?.ensure(timeout)
    } catch (error) {
      const isLate = timeout.aborted && !work.signal.aborted
      const reason = isLate ? `it did not answer in ${timeoutMs / 1_000} s` : messageOf(error)
      unreached.set(server, { reason, loginCommand: loginRequiredIn(error)?.command })
    }
    waiting.delete(server)
    showProgress()
  }
  await withTimeout(timeoutMs, work.signal, (timeout) => Promise.all(wanted.map((server) => startOne(server, timeout))))
  progress.clear()
  if (!work.signal.aborted) await rememberFailures(work.environment, live.startable, unreached)
  return unreached
}
