// What a tool is, before anyone asks where it came from.

import type { CommandResult } from './result.ts'

/** A JSON Schema document. Its shape is checked where it enters, not by its type. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** `source:name`, unique in a catalog. */
export type ToolId = string

export type ExecutionTime = 'instant' | 'fast' | 'slow' | 'long-running'

export interface ToolExample {
  readonly title?: string
  readonly description?: string
  readonly input: Readonly<Record<string, unknown>>
  readonly output?: unknown
}

/** What an author says about a tool besides its name and its schema. */
export interface ToolTraits {
  readonly version?: string
  readonly mutation?: boolean
  readonly destructive?: boolean
  readonly confirmPrompt?: string
  readonly executionTime?: ExecutionTime
  readonly errors?: readonly string[]
  /** Commands that should have run before this one. */
  readonly requires?: readonly string[]
  readonly examples?: readonly ToolExample[]
  /** The contexts it belongs to; none means all of them. */
  readonly contexts?: readonly string[]
  readonly handoff?: boolean
  readonly handoffProtocol?: string
}

export interface ValidationIssue {
  /** `items[0].price`; empty for the input as a whole. */
  readonly path: string
  readonly message: string
}

export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] }

/** One tool as its source lists it. */
export interface ToolEntry {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** As its author states it. */
  readonly category?: string
  /** Where its source has a convention for names; left out: derived from the names of all of its tools. */
  readonly defaultCategory?: string
  readonly tags?: readonly string[]
  readonly inputSchema: JsonSchema
  /** The schema is a stand-in: a configuration names the tool, and its server has not been asked. */
  readonly isSchemaUnknown?: boolean
  readonly outputSchema?: JsonSchema
  /** The hints of an upstream server, as it sent them. */
  readonly annotations?: Readonly<Record<string, boolean | string>>
  readonly traits: ToolTraits
  /** Checks arguments and gives them their final form (defaults, conversions). */
  validate(input: unknown): Validation | Promise<Validation>
  /** Checks what a call gave back against what the tool promised; absent where it promised nothing. */
  validateOutput?(data: unknown): Validation | Promise<Validation>
  /** Registered, but not offered: described on request, never callable. */
  readonly unexposed?: boolean
  /** Part of the server itself (contexts, help): runs without the author's middleware, never inside a batch or pipe. */
  readonly builtin?: boolean
  /** It changes the caller's session, so callers without one cannot use it. */
  readonly needsSession?: boolean
}

/** One tool in the catalog. */
export interface Tool extends ToolEntry {
  readonly id: ToolId
  readonly sourceId: string
  readonly category: string
  /** Its author or a rule states the category; else it is that of the server, or derived from names. */
  readonly isCategoryStated?: boolean
  /** Its name in a flat listing: bare with one source, `source__name` with several. */
  readonly listedName: string
  /** A rule, or the absence of one, has switched it off. */
  readonly disabled?: Disabled
}

/** A tool as far as lists and searches tell of it; it may come from a file, where nothing can be called. */
export interface DescribedTool
  extends Pick<
    Tool,
    'id' | 'name' | 'sourceId' | 'listedName' | 'category' | 'description' | 'inputSchema' | 'traits'
  > {
  readonly title?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly annotations?: Tool['annotations'] | undefined
  readonly isCategoryStated?: boolean | undefined
  readonly disabled?: Disabled | undefined
  readonly unexposed?: boolean | undefined
  readonly needsSession?: boolean | undefined
  readonly isSchemaUnknown?: boolean | undefined
}

/** The owner of the rule: the user, or the project that adds it. */
export type RuleOwner = 'user' | 'project'

export interface Disabled {
  /** The number of the rule, as written, from 1; absent where no rule enables it. */
  readonly rule?: number
  /** Absent: the user's. */
  readonly owner?: RuleOwner
  /** The rule cannot be read, so it disables more than was written. */
  readonly isUnreadable?: true
}

/** What the rules say of a tool. */
export interface RuleDecision extends Disabled {
  readonly enabled: boolean
  /** Added to its own. */
  readonly tags: readonly string[]
  /** Where its author states none. */
  readonly category?: string
}

export type Decide = (sourceId: string, name: string) => RuleDecision

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: Readonly<Record<string, boolean | string>>
  readonly icons?: readonly unknown[]
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** What every call gives back, whatever ran it. */
export type ToolResult = CommandResult
