// The types of a tool: as its source lists it, in the catalog and in tools/list. They do not depend on the source.

import type { CommandResult } from './result.ts'

/** A JSON Schema document. Its shape is checked where it enters the program; the type does not guarantee it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** `source:name`, unique in a catalog. */
export type ToolId = string

/** How long a command usually takes. It sets the default timeout. */
export type ExecutionTime = 'instant' | 'fast' | 'slow' | 'long-running'

/** An example of a call: its input and, if stated, its output. */
export interface ToolExample {
  /** A short name of the example. */
  readonly title?: string
  /** The purpose of the example. */
  readonly description?: string
  /** Valid arguments of the tool. */
  readonly input: Readonly<Record<string, unknown>>
  /** The data that the tool returns for this input. */
  readonly output?: unknown
}

/** Facts about a tool that its author declares in addition to its name and schema. */
export interface ToolTraits {
  /** The version of the tool, such as `1.2.0`. `tracing` adds it to the metadata of results. */
  readonly version?: string
  /** False if the tool only reads: clients get `readOnlyHint`, `retry` may repeat a call. Default: unknown, no hint. */
  readonly mutation?: boolean
  /** True for a tool that deletes or overwrites data: clients get `destructiveHint`. Default: unknown, no hint. */
  readonly destructive?: boolean
  /** The question for the user before a call, such as `Cancel {orderId}?`. Clients decide whether they show it. */
  readonly confirmPrompt?: string
  /** How long a call usually takes. Sets the default of `timeout`: 60 s, `slow` 5 min, `long-running` 60 min. */
  readonly executionTime?: ExecutionTime
  /** The error codes that the tool can return, for the documentation of the tool. */
  readonly errors?: readonly string[]
  /** Commands that should run before this one. */
  readonly requires?: readonly string[]
  /** Examples of calls. Clients get them in `_meta` of the tool, and models with the details of the tool. */
  readonly examples?: readonly ToolExample[]
  /** The contexts that the tool belongs to; none means all of them. */
  readonly contexts?: readonly string[]
  /** True if the result names an address at which the client continues in another protocol. Default: false. */
  readonly handoff?: boolean
  /** The protocol of the handoff, such as `websocket`. */
  readonly handoffProtocol?: string
}

export interface ValidationIssue {
  /** `items[0].price`; empty for the whole input. */
  readonly path: string
  /** The fault of the value, as a sentence for the caller. */
  readonly message: string
  /** The message without its subject, for a text that names the subject itself. Absent if both are the same. */
  readonly text?: string
}

export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] }

/** How a tool differs from the form that the user has approved or used first. */
export interface ToolChange {
  /** `new`: the server added the tool later. `unknown`: the pins of the server cannot be read. */
  readonly kind: 'changed' | 'new' | 'unknown'
  /** The changed parts, such as `description`, if they are known. */
  readonly parts?: readonly string[]
  /** The tool is hidden and refused until the user approves it. */
  readonly isBlocked: boolean
}

/** One tool as its source lists it. */
export interface ToolEntry {
  /** The name in the source, unique there. */
  readonly name: string
  /** A name for people. Clients may show it instead of `name`. */
  readonly title?: string
  /** The purpose of the tool. Search results and short listings show its first sentence. */
  readonly description: string
  /** The category that the author declared. */
  readonly category?: string
  /** The category by the naming convention of the source. If absent, it is derived from the names of its tools. */
  readonly defaultCategory?: string
  /** Words for filters and searches. */
  readonly tags?: readonly string[]
  /** The JSON Schema of the arguments, of the type `object`. */
  readonly inputSchema: JsonSchema
  /** The schema is a placeholder: the configuration names the tool, but its server has not listed its tools yet. */
  readonly isSchemaUnknown?: boolean
  /** The JSON Schema of the data of a successful result. */
  readonly outputSchema?: JsonSchema
  /** The hints of an upstream server, unchanged. */
  readonly annotations?: Readonly<Record<string, boolean | string>>
  /** Texts for the user, for example about invisible characters that were removed from the description. */
  readonly warnings?: readonly string[]
  /** Set if the tool differs from its pin. */
  readonly change?: ToolChange
  /** The facts that the author declares. `{}` if there are none. */
  readonly traits: ToolTraits
  /** Validates arguments and returns them in their final form (defaults, conversions). */
  validate(input: unknown): Validation | Promise<Validation>
  /** Validates the result of a call against the tool's output schema; absent if the tool has none. */
  validateOutput?(data: unknown): Validation | Promise<Validation>
  /** The tool is registered but not offered: it is described on request, and cannot be called. */
  readonly unexposed?: boolean
  /** Part of the server itself, such as help: runs without the author's middleware, never in a batch or pipe. */
  readonly builtin?: boolean
  /** The tool changes the caller's session, so callers without a session cannot use it. */
  readonly needsSession?: boolean
}

/** One tool in the catalog. */
export interface Tool extends ToolEntry {
  /** `source:name`, unique in the catalog. */
  readonly id: ToolId
  /** The id of the source, which is the name of the server if it is an upstream. */
  readonly sourceId: string
  /**
   * The declared category, else the one that a rule sets, else the id of the source if there are several sources, else
   * the one that is derived from names.
   */
  readonly category: string
  /** True if the author or a rule set the category. Else the category is that of the server, or derived from names. */
  readonly isCategoryStated?: boolean
  /**
   * The name in a flat listing: the bare name with one source, `source__name` with several. It is changed if it is not
   * unique, is too long, or has characters that some clients refuse.
   */
  readonly listedName: string
  /** Set if a rule disables the tool, or if no rule enables it. */
  readonly disabled?: Disabled
  /** True if the tool exists for no caller, so that no view contains it. */
  readonly isHidden?: boolean
}

/** The part of a tool that lists and searches show. It may come from the cache on disk, and then cannot be called. */
export type DescribedTool = Pick<
  Tool,
  'id' | 'name' | 'sourceId' | 'listedName' | 'category' | 'description' | 'inputSchema' | 'traits'
> & {
  readonly [Field in DescribedField]?: Tool[Field] | undefined
}

type DescribedField =
  | 'title'
  | 'tags'
  | 'annotations'
  | 'warnings'
  | 'change'
  | 'isCategoryStated'
  | 'disabled'
  | 'isHidden'
  | 'unexposed'
  | 'builtin'
  | 'needsSession'
  | 'isSchemaUnknown'

/** The owner of a rule: the user, or the project that adds it. */
export type RuleOwner = 'user' | 'project'

export interface Disabled {
  /** The position of the rule in the config, from 1. Absent if no rule enables the tool. */
  readonly rule?: number
  /** If absent, the rule is the user's. */
  readonly owner?: RuleOwner
  /** The rule cannot be read, so it disables more tools than its author intended. */
  readonly isUnreadable?: true
}

/** The result of the rules for one tool. */
export interface RuleDecision extends Disabled {
  readonly enabled: boolean
  /** Tags that the rules add to those of the tool. */
  readonly tags: readonly string[]
  /** The category from the rules, for a tool without a declared category. */
  readonly category?: string
  /** True hides the tool from every caller, whether it is enabled or not. */
  readonly isHidden?: boolean
}

export type Decide = (sourceId: string, name: string) => RuleDecision

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  /** The name that a client calls. */
  readonly name: string
  /** A name for people. */
  readonly title?: string
  /** The purpose of the tool, for the model. */
  readonly description: string
  /** The JSON Schema of the arguments. */
  readonly inputSchema: JsonSchema
  /** The JSON Schema of `structuredContent` of a result. */
  readonly outputSchema?: JsonSchema
  /** Hints of MCP such as `readOnlyHint`. */
  readonly annotations?: Readonly<Record<string, boolean | string>>
  /** Icons of MCP, unchanged. */
  readonly icons?: readonly unknown[]
  /** Metadata of MCP, for clients that know its keys. */
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** The result of every call, from any source. */
export type ToolResult = CommandResult
