// Serves one existing MCP server under any strategy, and passes on unchanged what it offers besides tools.

import type { Implementation } from '@modelcontextprotocol/server'
import { kindOf } from '../config/connection-kinds.ts'
import { refuseLoaderVariables } from '../config/prepare-connection.ts'
import { type Connection, programIn, type ServerConfig } from '../config/server-config.ts'
import type { Middleware } from '../core/call.ts'
import { raise } from '../core/errors.ts'
import { createSchemaValidator } from '../core/json-schema.ts'
import { messageOf } from '../core/text.ts'
import type { StrategyPlugin, UsageProvider } from '../disclosure/strategy.ts'
import { createResultLimit, type ResultLimit } from '../dispatch/result-limit/result-limit.ts'
import { hideTools } from '../rules/rules.ts'
import type { Ranker } from '../search/ranker.ts'
import type { Manifest } from '../sources/upstream/manifest.ts'
import { createStartLimiter } from '../sources/upstream/start-limiter.ts'
import { createUpstreamSource, type UpstreamSource } from '../sources/upstream/upstream-source.ts'
import { createWatchdog } from '../sources/upstream/watchdog.ts'
import { createMemoryStore } from '../storage/memory.ts'
import type { Store } from '../storage/store.ts'
import { type Crib, createCrib, joinTexts } from './crib.ts'
import { type DisposalStack, openAll } from './disposal-stack.ts'
import type { Features } from './features.ts'
import { listedAsIs } from './listed-as-is.ts'
import type { Recorder } from './recorders.ts'
import { nameFrom } from './server-name.ts'
import { createWrapFeatures, createWrapRoots, type WrapFeatures } from './wrap-features.ts'

export interface WrapOptions {
  readonly connection: Connection
  /** The name of the server in errors and records. Default: derived from its connection. */
  readonly name?: string | undefined
  /** Default: `auto`. */
  readonly strategy?: string | StrategyPlugin | undefined
  readonly strategyOptions?: unknown
  /** Tools to hide from all clients: names, globs or `/regex/`. */
  readonly hide?: readonly string[] | undefined
  /** The variables of this process. The server inherits them unless `inheritEnv` of its connection excludes them. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clientInfo: Implementation
  /** Keeps the description of the server between processes. All given stores stay open when the wrap is closed. */
  readonly manifests?: Store
  /** Keeps the state of callers, such as enabled tools. Default: kept in memory. */
  readonly store?: Store
  readonly recorder?: Recorder
  readonly usage?: UsageProvider
  readonly middleware?: readonly Middleware[]
  readonly ranker?: Ranker
  /** Whether `includeContext` of the server's sampling requests reaches the client. */
  readonly includeContext?: boolean | undefined
  /** How many questions the server may ask in one call (default 16). */
  readonly maxQuestions?: number | undefined
  /** Longer results are cut if a listed tool can read more of them. If undefined, results are never cut. */
  readonly maxResultTokens?: number | undefined
  /** The store for the rest of cut results. Default: kept in memory. */
  readonly results?: Store
  /** Called for each problem that a user should know about. */
  onProblem(reason: string): void
  /** Called with lines that the server printed on stderr, without secrets and control characters. */
  onOutput?(server: string, lines: readonly string[]): void
  /** Called with a log line about the listing that the strategy chose. */
  onChoice?(line: string): void
}

export interface Wrapped {
  readonly crib: Crib
  readonly features: Features
  /** The name and version that the server declares. */
  readonly identity: Implementation
  /** The server's own instructions, and how to find its tools if not all are listed. */
  readonly instructions: string | undefined
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts the server. Rejects with the reason if it cannot start, and then leaves no process behind. */
export function openWrap(options: WrapOptions, signal: AbortSignal): Promise<Wrapped> {
  return openAll((stack) => openParts(options, signal, stack))
}

async function openParts(options: WrapOptions, signal: AbortSignal, stack: DisposalStack): Promise<Wrapped> {
  const { connection, store, recorder, usage, middleware, ranker, onProblem } = options
  const server = options.name ?? (await nameFrom(connection))
  // The server is not in the configuration, so `toolcrib doctor` cannot check it.
  const remedy = kindOf(connection).advice.wrapped
  const strategy = options.strategy ?? 'auto'
  const watchdog = createWatchdog()
  const results = resultLimitOf(options)
  if (results !== undefined) stack.use(results)
  let features: WrapFeatures | undefined
  const roots = createWrapRoots({
    onChange: () => void source.rootsChanged().catch((error) => onProblem(messageOf(error))),
  })
  const source = stack.use(
    createUpstreamSource({
      // If the wrapped server supports the modern era, its modern clients get the same behaviour as without `wrap`.
      prefersModern: true,
      config: configOf(server, connection, options.includeContext),
      ...(options.maxQuestions === undefined ? {} : { options: { maxQuestions: options.maxQuestions } }),
      resolve(written) {
        const program = programIn(written)
        if (program !== undefined) refuseLoaderVariables(program)
        // Unchanged: this connection is not from a config, so it contains no references.
        return written
      },
      // The variables may have been set for this server, so every value counts as a secret.
      inheritance: () => ({ env: options.env, isRedactedWhole: true }),
      store: options.manifests ?? createMemoryStore(),
      startLimiter: createStartLimiter(),
      watchdog,
      validator: createSchemaValidator(),
      expectsCalls: true,
      clientInfo: options.clientInfo,
      remedy,
      ownRoots: roots,
      onState: ({ state, reason = '' }) => {
        if (state === 'connected') features?.restore()
        // The caller reports a failure of the first start.
        if (state === 'failed' && features !== undefined) onProblem(`it could not be started: ${reason}`)
      },
      ...(options.onOutput === undefined ? {} : { onOutput: (lines) => options.onOutput?.(server, lines) }),
      onProblem,
    }),
  )
  const { hide = [] } = options
  const decide = hide.length === 0 ? undefined : hideTools(hide)
  const manifest = await startServer(source, remedy, signal)
  for (const pattern of findUnmatched(hide, manifest)) onProblem(`'${pattern}' in hide matches no tool`)
  const identity = identityOf(manifest, server)
  const crib = stack.use(
    createCrib({
      about: { name: identity.name, version: identity.version },
      sources: [source],
      strategy,
      strategyOptions: options.strategyOptions,
      builtins: false,
      catalog: { decide, keepNames: true },
      search: { ranker, usage },
      calls: { middleware, recorder, results },
      state: { store, scope: `wrap/${server}/` },
      onChoice: (line) => options.onChoice?.(line),
    }),
  )
  const opened = stack.use(createWrapFeatures({ source, manifest, roots, onProblem }))
  features = opened
  return {
    crib: listedAsIs(crib, async () => (await source.manifest())?.tools ?? []),
    features: opened,
    identity,
    instructions: await instructionsOf(manifest, crib, signal),
    [Symbol.asyncDispose]: stack[Symbol.asyncDispose],
  }
}

function resultLimitOf({ maxResultTokens: maxTokens, results }: WrapOptions): ResultLimit | undefined {
  return maxTokens === undefined ? undefined : createResultLimit({ store: results ?? createMemoryStore(), maxTokens })
}

/** Returns the patterns that match no tool, so that the user notices a mistyped pattern. */
function findUnmatched(patterns: readonly string[], { tools }: Manifest): readonly string[] {
  return patterns.filter((pattern) => !tools.some(({ name }) => hideTools([pattern])('', name).isHidden))
}

function configOf(name: string, connection: Connection, includeContext = false): ServerConfig {
  // Never stopped when idle, because it may send notifications at any time.
  return { name, connection, enabled: true, idleMs: 0, includeContext, origin: { source: 'wrap', file: '' } }
}

async function startServer(source: UpstreamSource, remedy: string, signal: AbortSignal): Promise<Manifest> {
  try {
    return await source.refresh(signal)
  } catch (error) {
    signal.throwIfAborted()
    return raise('SERVER_UNAVAILABLE', { server: source.id, reason: messageOf(error), remedy })
  }
}

function identityOf({ serverInfo = {} }: Manifest, server: string): Implementation {
  const { name, version, ...rest } = serverInfo
  return {
    // The SDK has validated these fields.
    ...rest,
    name: typeof name === 'string' && name !== '' ? name : server,
    version: typeof version === 'string' ? version : '0.0.0',
  }
}

/** The server's instructions and the guide of the strategy. If all tools are listed, clients need no guide. */
async function instructionsOf(
  { instructions, capabilities }: Manifest,
  crib: Crib,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { caller } = await crib.inspect(signal)
  // A strategy such as `auto` chooses at its first listing, and `explain` returns that choice.
  await crib.list({ caller, signal })
  const chosen = crib.strategy.explain()?.strategy ?? crib.strategy.name
  const areAllToolsListed = chosen === 'individual' || capabilities.tools === undefined
  return joinTexts(instructions, areAllToolsListed ? undefined : crib.about.instructions)
}
