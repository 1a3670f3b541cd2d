// The gateway inside a command: the same line as for any client, and no server started that is not needed.

import type { ConfigFiles } from '../config/config-files.ts'
import type { LoadedConfig } from '../config/load.ts'
import { raise } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'
import { createGateway, type Gateway } from '../crib/from-config.ts'
import type { Request } from '../crib/request.ts'
import type { View } from '../disclosure/view.ts'
import type { KnownTools, RuleFinding } from '../rules/rule-findings.ts'
import { type CompiledRuleSets, compileRuleSets, findOddInSets, type OwnedFinding } from '../rules/rule-sets.ts'
import type { Ranker } from '../search/ranker.ts'
import type { UpstreamSource } from '../sources/upstream/upstream-source.ts'
import { loadFor, requireGivenConfig } from './load-config.ts'
import { projectNote } from './project-note.ts'
import { type ServingNote, servingNotes } from './serving-notes.ts'
import { type Startable, startable } from './startable.ts'
import type { Work } from './work.ts'

export interface Session {
  readonly gateway: Gateway
  readonly loaded: LoadedConfig
  /** Of the servers that are not switched off. */
  readonly servers: readonly string[]
  readonly startable: readonly Startable[]
  readonly switchedOff: readonly string[]
  /** The configuration switches discovery off as a whole. */
  readonly isOff: boolean
  readonly notes: readonly ServingNote[]
  /** About files of the current folder that are not used. */
  readonly note?: string | undefined
  /** One of the five tools, as a client calls it. */
  ask(tool: string, args: unknown, more?: Partial<Request>): Promise<CommandResult>
  explain: View['explain']
  view(): Promise<View>
  source(server: string): UpstreamSource | undefined
  /** Servers whose tools are not known. `withSchemas`: tools that a configuration names without a schema are not enough. */
  unknown(withSchemas?: boolean): Promise<readonly string[]>
  /** The tools that the rules are compared with. */
  knownTools(): Promise<KnownTools>
  /** Warnings about the rules, or about those that concern one server. */
  remarks(server?: string): Promise<readonly string[]>
  [Symbol.asyncDispose](): Promise<void>
}

export interface SessionOptions {
  /** Read already. */
  readonly loaded?: LoadedConfig
  /** Left out: none is, whatever is asked. */
  readonly startsServers?: boolean
  /** Servers that are to be left alone. */
  readonly without?: readonly string[]
  readonly ranker?: Ranker
}

/** A start ends by itself: whoever is there to press Ctrl-C waits for it. */
const UNTIL_IT_ENDS_MS = 2_147_483_647

export const CALLER = { principal: 'cli', era: 'direct', transport: 'direct' } as const

export async function openSession(work: Work, options: SessionOptions = {}): Promise<Session> {
  const { environment, output, signal } = work
  const loaded = options.loaded ?? (await loadValid(work))
  const { version, env, stateDir, cacheDir } = environment
  const gateway = await createGateway({
    name: 'toolcrib',
    version,
    env,
    stateDir,
    cacheDir,
    strategy: 'gateway',
    strategyOptions: {},
    startWaitMs: UNTIL_IT_ENDS_MS,
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
    servers: loaded.servers.filter(({ enabled }) => enabled).map(({ name }) => name),
    startable: loaded.servers.filter(({ enabled }) => enabled).map(startable),
    switchedOff: loaded.servers.filter(({ enabled }) => !enabled).map(({ name }) => name),
    isOff: !loaded.config.discovery.enabled,
    notes: servingNotes(loaded),
    note: projectNote(loaded, environment.home),
    ask: (tool, args, more = {}) => gateway.crib.call(tool, args, { caller: CALLER, signal, ...more }),
    view: () => gateway.crib.inspect(signal),
    explain: async (query, id) => (await gateway.crib.inspect(signal)).explain(query, id),
    source,
    unknown,
    knownTools,
    remarks: async (server) =>
      loaded.rules.length + loaded.projectRules.length === 0 ? [] : ruleRemarks(loaded, await knownTools(), server),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

/** `config validate` says these too; `list`, `status` and `doctor` are not about how a rule is written. */
const ONLY_VALIDATED: readonly RuleFinding['kind'][] = ['overruled', 'word-boundary']

function ruleRemarks(loaded: LoadedConfig, known: KnownTools, server: string | undefined): readonly string[] {
  const compiled = compileRuleSets(loaded)
  return findOddInSets(compiled, known)
    .filter((finding) => !ONLY_VALIDATED.includes(finding.kind))
    .filter((finding) => server === undefined || concerns(finding, server, compiled))
    .map(({ message }) => message)
}

/** Rules for all servers are about this one only if they cannot be read: then they may disable its tools. */
function concerns(finding: OwnedFinding, server: string, { own, project }: CompiledRuleSets): boolean {
  if (finding.kind === 'server-without-tools') return finding.server === server
  const rule = (finding.owner === 'user' ? own : project).rules[finding.rule - 1]
  if (rule === undefined || !rule.covers(server)) return false
  return finding.kind === 'broken' || rule.written.server !== undefined
}

/** The configuration, unless there is an error in it. */
export async function loadValid({ environment, flags, signal }: Work, files?: ConfigFiles): Promise<LoadedConfig> {
  const loaded = await loadFor(environment, { config: flags.config, files }, signal)
  if (loaded.isValid) return loaded
  await requireGivenConfig(environment, flags.config)
  const [first] = loaded.problems.filter(({ severity }) => severity === 'error')
  const file = loaded.origin.kind === 'defaults' ? '' : loaded.origin.file
  const reason = [first?.path, first?.message].filter(Boolean).join(': ')
  return raise('CONFIG_INVALID', { file, reason, given: flags.config })
}

/** What is known is good enough however old it is, and no answer is cut. */
function forOneCommand(loaded: LoadedConfig, { startsServers = false, without = [] }: SessionOptions): LoadedConfig {
  const { config, servers } = loaded
  const { discovery, limits } = config
  const cache = { ...discovery.cache, ttl: Number.POSITIVE_INFINITY }
  return {
    ...loaded,
    servers: servers.filter(({ name }) => !without.includes(name)),
    config: {
      ...config,
      discovery: { ...discovery, listWaitMs: 0, cache },
      limits: {
        ...limits,
        maxResultTokens: Number.MAX_SAFE_INTEGER,
        // With room for none, a server that is unknown waits for its turn until the command is over.
        ...(startsServers ? {} : { maxStarting: 0 }),
      },
    },
  }
}
