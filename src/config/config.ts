// The schema and the types of a config file.

import { z } from 'zod'
import { isPlugin } from '../core/plugin.ts'
import { MAX_TIMER_MS } from '../core/waiting.ts'
import { isStorePlugin, type StorePlugin } from '../storage/store.ts'
import { inheritEnvSchema, serverSchema, variableNames } from './config-entry.ts'
import { addressShape, loginShape, metricsSchema } from './http-settings.ts'

/** The result of `defineStrategy`, `defineRanker`, `defineSource` or `defineImporter`. Only `name` is checked here. */
export interface NamedPlugin {
  /** Settings choose the plugin by this name. A source needs no setting; its name is used like a server's. */
  readonly name: string
}

const pluginList = (define: string) =>
  z.array(z.custom<NamedPlugin>((value) => isPlugin(value), `the result of ${define}()`)).optional()

/** Settings choose a plugin by its name, as they choose a built-in one. Sources need no setting. */
const pluginsSchema = z.strictObject({
  strategies: pluginList('defineStrategy'),
  rankers: pluginList('defineRanker'),
  sources: pluginList('defineSource'),
  stores: z.array(z.custom<StorePlugin>(isStorePlugin, 'the result of defineStore()')).optional(),
  importers: pluginList('defineImporter'),
})

export const ruleSchema = z
  .strictObject({
    /** Globs or `/regex/flags`, optionally after a `!`. Default if `server` is set: all tools of the server. */
    pattern: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    server: z.string().min(1).optional(),
    enabled: z.boolean().optional(),
    tags: z.array(z.string().min(1)).optional(),
    /** The category of matching tools, unless the author of a tool sets one. */
    category: z.string().min(1).optional(),
  })
  .refine((rule) => rule.pattern !== undefined || rule.server !== undefined, {
    error: "'pattern', 'server' or both",
    params: { found: 'neither' },
  })

export const sourceSchema = z.strictObject({
  type: z.string().min(1),
  /** A single file. Default: the files that the client itself uses. */
  path: z.string().min(1).optional(),
  /**
   * If there is no path: whether to read the client's files of the user (default) or those of the project in the
   * current folder.
   */
  scope: z.enum(['user', 'project']).optional(),
})

const count = z.number().int().positive()

const callLimit = z
  .strictObject({
    callsPerMinute: count.optional(),
    /** How many calls may run at the same time. Further calls wait. */
    concurrent: count.optional(),
  })
  .prefault({})

const discoveryShape = {
  /** False disables all servers. */
  enabled: z.boolean().default(true),
  /** `--strategy` takes precedence. If both are absent, a variable such as `TOOL_LOADING` may choose. */
  strategy: z.string().min(1).optional(),
  strategyOptions: z.record(z.string(), z.unknown()).optional(),
  cache: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** In seconds. */
      ttl: z.number().min(0).default(3_600),
    })
    .prefault({}),
  search: z
    .strictObject({
      /** Ranks equally relevant tools by how often they are called. */
      learn: z.boolean().default(true),
      /** The name of the ranker. Default: bm25f. */
      ranker: z.string().min(1).optional(),
    })
    .prefault({}),
  /** Whether the gateway also offers the prompts and resources of the servers. */
  passthrough: z.boolean().default(false),
  /** A tool that has changed since it was pinned is marked (`warn`), or refused until it is approved (`block`). */
  pinning: z.enum(['warn', 'block', 'off']).default('warn'),
  /** How long a request waits for servers with unknown tools. */
  listWaitMs: z.number().min(0).max(MAX_TIMER_MS).default(5_000),
}

/** The settings of `discovery` that are not lists. In a file of a project they are ignored. */
export const discoverySettings: readonly string[] = Object.keys(discoveryShape)

/** The name of a variable for which each person has a value, as in `${person.NAME}`. */
const personalName = z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a variable')

const rootShape = {
  /** The address of the JSON Schema of this file, for editors. */
  $schema: z.string().optional(),
  http: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      port: z.number().int().min(0).max(65_535).default(3_100),
      ...loginShape,
      ...addressShape,
      metrics: metricsSchema,
      /** The inspector at `/`. `read-only`: its page calls no tool. */
      inspector: z.enum(['full', 'read-only', 'off']).default('full'),
    })
    .prefault({}),
  audit: z
    .strictObject({
      /** `strict` refuses a call that cannot be recorded. */
      mode: z.enum(['lenient', 'strict']).default('lenient'),
      file: z.string().min(1).optional(),
      /** Records the values of arguments, not only their shape. */
      values: z.boolean().default(false),
      /** Also writes the records to a log in the shared store, for all gateways together. */
      stream: z.boolean().default(false),
    })
    .prefault({}),
  /** Lines of JSON on stderr. */
  log: z
    .strictObject({
      /** One line per HTTP request. */
      access: z.boolean().default(false),
      /** The audit log on stderr too. */
      audit: z.boolean().default(false),
    })
    .prefault({}),
  /** Creates an OpenTelemetry span for each call. */
  traces: z.boolean().default(false),
  /** True: all clients of this user that start `toolcrib serve` over stdio share one gateway. */
  shared: z.boolean().default(false),
  /** The kind of store, such as `file` or `memory`, or the address of a Redis server. */
  store: z.string().min(1).default('file'),
  /** Your own strategies, rankers, sources, stores and importers. Only for a config in TypeScript or JavaScript. */
  plugins: pluginsSchema.optional(),
  /** The variables of this process that servers get, unless a server has its own setting. */
  inheritEnv: inheritEnvSchema.default(true),
  /** Variables such as `NODE_OPTIONS` that the `env` of your servers may set. Not for servers of a project. */
  allowEnv: variableNames.default([]),
  /** The variables of each person, as in `${person.NAME}`. The values may be references. */
  people: z.record(z.string().min(1), z.record(personalName, z.string())).default({}),
  /** Limits. Most defaults are defined in the code that uses them. */
  limits: z
    .strictObject({
      maxResultTokens: count.optional(),
      maxStarting: count.optional(),
      /** The limits of each principal, and of each server for all principals together. */
      perPrincipal: callLimit,
      perServer: callLimit,
      /** Whether calls run or are refused while the store with the counts of all gateways is out of reach. */
      whenStoreIsDown: z.enum(['open', 'closed']).default('open'),
      /** How many people can use one server at the same time if its entry has `perPrincipal: true`. */
      maxPeoplePerServer: count.optional(),
      maxHandles: count.optional(),
      maxHandleBytes: count.optional(),
      maxAuditBytes: count.optional(),
      callTimeoutMs: count.optional(),
      startTimeoutMs: count.max(MAX_TIMER_MS).optional(),
      /** The longest message to or from a server, and from a client over stdio. */
      maxMessageBytes: count.optional(),
      /** How many questions (elicitation, sampling) a server may ask in one call. 0 declines all. */
      maxQuestions: z.number().int().min(0).optional(),
      /** After this time an idle server is stopped. 0 means never. */
      idleMs: z.number().min(0).max(MAX_TIMER_MS).optional(),
      /** How long in-flight calls may take after the gateway is told to stop. */
      drainMs: z.number().min(0).max(MAX_TIMER_MS).optional(),
      /** How long a shared gateway stays open after its last client has left. */
      sharedIdleMs: z.number().min(0).max(MAX_TIMER_MS).default(30_000),
    })
    .prefault({}),
}

/** The settings of the gateway itself. A file of a project with one of them is not used. */
export const gatewaySettings: readonly string[] = Object.keys(rootShape).filter((key) => key !== '$schema')

export const configSchema = z.strictObject({
  ...rootShape,
  discovery: z
    .strictObject({
      ...discoveryShape,
      servers: z.union([z.array(serverSchema), z.record(z.string(), serverSchema)]).optional(),
      sources: z.array(sourceSchema).optional(),
      toolRules: z.array(ruleSchema).optional(),
    })
    .prefault({}),
})

/**
 * The same schema with unchecked lists. Each item of a list is checked separately, so that an invalid item does not
 * affect the others.
 */
export const settingsSchema = z.strictObject({
  ...rootShape,
  discovery: z
    .strictObject({
      ...discoveryShape,
      servers: z.unknown().optional(),
      sources: z.unknown().optional(),
      toolRules: z.unknown().optional(),
    })
    .prefault({}),
})

/** A config as it is written in a file. */
export type ConfigFileInput = z.input<typeof configSchema>
/** A rule of a config: which tools it matches, and whether they are enabled, tagged or categorized. */
export type RuleInput = z.input<typeof ruleSchema>
/** An MCP client with a config from which servers are imported. */
export type SourceInput = z.input<typeof sourceSchema>
export type { ServerInput } from './config-entry.ts'

/** The settings of a config without its lists, with all defaults. */
export type Config = Omit<z.output<typeof settingsSchema>, 'discovery' | '$schema'> & {
  readonly discovery: Omit<z.output<typeof settingsSchema>['discovery'], 'servers' | 'sources' | 'toolRules'>
}
