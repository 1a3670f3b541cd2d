// Runs a gateway inside a command, with the same dispatcher as for a client. Starts servers only with `startsServers`.

import type { LoadedConfig } from '../../config/load/load.ts'
import type { CommandResult } from '../../core/result.ts'
import { createGateway, type Gateway } from '../../crib/from-config.ts'
import type { Request } from '../../crib/request.ts'
import type { View } from '../../disclosure/view.ts'
import type { KnownTools, RuleFinding } from '../../rules/rule-findings.ts'
import { type CompiledRuleSets, compileRuleSets, findOddInSets, type OwnedFinding } from '../../rules/rule-sets.ts'
import type { Ranker } from '../../search/ranker.ts'
import { loadValid } from '../../setup/load-config.ts'
import type { UpstreamSource } from '../../sources/upstream/upstream-source.ts'
import type { Work } from '../output/work.ts'
import { ownSourceNames, type ServedConfig, servedConfig } from './served-config.ts'

export interface CommandSession extends ServedConfig {
  readonly gateway: Gateway
  readonly loaded: LoadedConfig
  /** The names of the enabled servers, and of the sources that the config defines in code. */
  readonly servers: readonly string[]
  /** Runs a tool, as a client of the gateway does. */
  execute(wanted: ToolToRun, request?: Partial<Request>): Promise<CommandResult>
  view(): Promise<View>
  source(server: string): UpstreamSource | undefined
  /** Servers with unknown tools. `withSchemas`: also servers with tools that the config names without a schema. */
  unknown(withSchemas?: boolean): Promise<readonly string[]>
  /** The tools that the rules are compared with. */
  knownTools(): Promise<KnownTools>
  /** Warnings about the rules; with `server`, only those that concern that server. */
  ruleWarnings(server?: string): Promise<readonly string[]>
  [Symbol.asyncDispose](): Promise<void>
}

interface ToolToRun {
  readonly server?: string | undefined
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface CommandSessionOptions {
  /** A configuration that was loaded before. */
  readonly loaded?: LoadedConfig
  /** Default: false, so that no call can start a server. */
  readonly startsServers?: boolean
  /** Names of servers that the session leaves out. */
  readonly without?: readonly string[]
  readonly ranker?: Ranker
}

/** The longest timer of Node. Every start has a timeout of its own, and a person can press Ctrl-C. */
const NO_START_LIMIT_MS = 2_147_483_647

export const CALLER = { principal: 'cli', era: 'direct', transport: 'direct' } as const

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
    const asked = loaded.servers.filter(
      ({ enabled, tools = [] }) =>
        enabled && (tools.length === 0 || (withSchemas && tools.some((tool) => tool.inputSchema === undefined))),
    )
    const manifests = await Promise.all(asked.map(({ name }) => source(name)?.manifest()))
    return asked.filter((_, at) => manifests[at] === undefined).map(({ name }) => name)
  }
  const knownTools = async (): Promise<KnownTools> => {
    const { known } = await gateway.crib.inspect(signal)
    const tools = known.tools.map(({ sourceId, name }) => ({ server: sourceId, tool: name }))
    return { tools, unasked: await unknown(), servers: loaded.servers.map(({ name }) => name) }
  }
  return {
    gateway,
    loaded,
    ...servedConfig(loaded, environment.home),
    servers: [...loaded.servers.filter(({ enabled }) => enabled).map(({ name }) => name), ...ownSourceNames(loaded)],
    execute: (wanted, request = {}) =>
      gateway.crib.call('execute_tool', wanted, { caller: CALLER, signal, ...request }),
    view: () => gateway.crib.inspect(signal, CALLER),
    source,
    unknown,
    knownTools,
    ruleWarnings: async (server) =>
      loaded.rules.length + loaded.projectRules.length === 0 ? [] : warningsFor(loaded, await knownTools(), server),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

/** Only `config validate` reports these kinds, because they are about how a rule is written. */
const ONLY_FOR_VALIDATE: readonly RuleFinding['kind'][] = ['overruled', 'word-boundary']

function warningsFor(loaded: LoadedConfig, known: KnownTools, server: string | undefined): readonly string[] {
  const compiled = compileRuleSets(loaded)
  return findOddInSets(compiled, known)
    .filter((finding) => !ONLY_FOR_VALIDATE.includes(finding.kind))
    .filter((finding) => server === undefined || concerns(finding, server, compiled))
    .map(({ message }) => message)
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
