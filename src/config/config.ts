// What a config file may say, as a schema and as a type.

import { z } from 'zod'
import { serverSchema } from './config-entry.ts'

export const ruleSchema = z
  .strictObject({
    /** Globs, `/regex/flags`, and `!` before either; left out beside a `server`: all of its tools. */
    pattern: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    server: z.string().min(1).optional(),
    enabled: z.boolean().optional(),
    tags: z.array(z.string().min(1)).optional(),
    /** The category of matching tools whose author states none. */
    category: z.string().min(1).optional(),
  })
  .refine((rule) => rule.pattern !== undefined || rule.server !== undefined, "'pattern', 'server' or both")

export const sourceSchema = z.strictObject({
  type: z.string().min(1),
  /** One file; left out: where that client keeps its own. */
  path: z.string().min(1).optional(),
  /** Without a path, which of the client's files: the user's (left out) or those of the project in the current folder. */
  scope: z.enum(['user', 'project']).optional(),
})

const count = z.number().int().positive()

const discoveryShape = {
  /** False serves no server at all. */
  enabled: z.boolean().default(true),
  /** Left out: the command line or the environment may still choose. */
  strategy: z.string().min(1).optional(),
  strategyOptions: z.record(z.string(), z.unknown()).optional(),
  cache: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Seconds. */
      ttl: z.number().min(0).default(3_600),
    })
    .prefault({}),
  search: z
    .strictObject({
      /** Of equally relevant tools, those called more often come first. */
      learn: z.boolean().default(true),
    })
    .prefault({}),
  /** Whether prompts and resources of the servers are offered too. */
  passthrough: z.boolean().default(false),
  /** How long a listing waits for servers it knows nothing about. */
  listWaitMs: z.number().min(0).default(5_000),
}

/** Those of `discovery` that are not lists: a project's file cannot set them. */
export const discoverySettings: readonly string[] = Object.keys(discoveryShape)

/** Settings that are planned and have no effect yet: a config that sets one is refused. */
export const NOT_YET: readonly string[] = ['discovery.pinning', 'audit.stream', 'store']

/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2_147_483_647

const rootShape = {
  /** For editors. */
  $schema: z.string().optional(),
  http: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      port: z.number().int().min(0).max(65_535).default(3_100),
      /** Who may connect: a name, and a token that may be a reference. */
      tokens: z.record(z.string().min(1), z.string().min(1)).default({}),
    })
    .prefault({}),
  audit: z
    .strictObject({
      /** `strict` refuses a call that cannot be recorded. */
      mode: z.enum(['lenient', 'strict']).default('lenient'),
      file: z.string().min(1).optional(),
      /** Records arguments as they are, not only their shape. */
      values: z.boolean().default(false),
    })
    .prefault({}),
  /** Bounds; each has its default where it is used. */
  limits: z
    .strictObject({
      maxResultTokens: count.optional(),
      maxStarting: count.optional(),
      maxHandles: count.optional(),
      maxHandleBytes: count.optional(),
      maxAuditBytes: count.optional(),
      callTimeoutMs: count.optional(),
      startTimeoutMs: count.optional(),
      /** The longest message to or from a server, and from a client over stdio. */
      maxMessageBytes: count.optional(),
      /** How many questions (elicitation, sampling) a server may ask in one call; 0 declines all. */
      maxQuestions: z.number().int().min(0).optional(),
      /** 0 never stops an idle server. */
      idleMs: z.number().min(0).optional(),
      /** How long calls in flight may take once the gateway is told to end. */
      drainMs: z.number().min(0).max(MAX_TIMER_MS).optional(),
    })
    .prefault({}),
}

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

/** The same with its lists unread: each of their items is checked on its own, so that a bad one spoils no other. */
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

export type ConfigInput = z.input<typeof configSchema>
export type RuleInput = z.input<typeof ruleSchema>
export type SourceInput = z.input<typeof sourceSchema>
export type { ServerInput } from './config-entry.ts'

/** What a config says apart from its lists, with every default filled in. */
export type Config = Omit<z.output<typeof settingsSchema>, 'discovery' | '$schema'> & {
  readonly discovery: Omit<z.output<typeof settingsSchema>['discovery'], 'servers' | 'sources' | 'toolRules'>
}

/** Does nothing but let an editor check and complete what is written in a TypeScript or JavaScript config. */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config
}
