// The JSON that the inspector page gets from the gateway. The page and the gateway share only these types.

import type { ToolChange } from '../../core/tool.ts'

/** GET api/overview */
export interface InspectorOverview {
  readonly gateway: {
    readonly name: string
    readonly version: string
    readonly strategy: string
    readonly startedAt: string
    /** The current time of the gateway, so that the page can compute ages. */
    readonly now: string
    readonly mcpPath: string
  }
  readonly caller: {
    readonly principal: string
    /** False for a caller with limited rights, which sees no config and only its own calls. */
    readonly isUnlimited: boolean
    /** False if `http.inspector` is `read-only`, or if a token with limited rights reaches no server. */
    readonly canCall: boolean
  }
  readonly servers: readonly InspectorServer[]
  readonly costs: readonly InspectorCost[]
  /** Problems that the operator should know about, without secrets. Empty for a caller with limited rights. */
  readonly problems: readonly string[]
  /** The strategies without a token count yet. A later request has them in `costs`. */
  readonly counting: readonly string[]
}

export interface InspectorServer {
  readonly id: string
  readonly description?: string
  readonly transport: string
  /** connected, starting, known, unknown, needs login, failed, disabled */
  readonly state: string
  readonly reason?: string
  /** The command to type next, for example `toolcrib login linear`. */
  readonly command?: string
  /** Duration of the last start, in milliseconds. */
  readonly startMs?: number
  readonly startedAt?: string
  readonly tools?: number
  readonly disabledTools?: number
  /** The sum of the tokens of the definitions of its visible tools (o200k). Absent while they are counted. */
  readonly tokens?: number
  /** False if each person has a process or connection of their own. */
  readonly isShared?: boolean
  /** True for an example server of `serve --demo`. Other commands do not know these servers. */
  readonly isExample?: boolean
  /** The number of its tools that have warnings, plus the number of problems that left tools out of its list. */
  readonly warnings: number
}

/**
 * The tokens of tools/list under one strategy (o200k), for this caller and its visible tools. With more than 5,000
 * tools, strategies that describe tools in their list are left out, unless they are in use or list everything.
 */
export interface InspectorCost {
  readonly strategy: string
  readonly tokens: number
  readonly isCurrent: boolean
  /** Set for the strategy that lists every tool with its schema. */
  readonly isEverything?: boolean
}

/** GET api/tools. Rows are small, because there can be 10,000 of them. */
export interface InspectorTools {
  /** Changes when the list changes. */
  readonly version: string
  /** True while the tokens of some tools are not counted yet. A later request has them. */
  readonly isCounting: boolean
  readonly tools: readonly InspectorToolRow[]
}

export interface InspectorToolRow {
  readonly id: string
  readonly server: string
  readonly name: string
  /** The first sentence of the description. */
  readonly summary: string
  readonly category: string
  readonly tags: readonly string[]
  /** `disabled`: a rule refuses its calls. `blocked`: it has changed, and calls are refused until it is approved. */
  readonly availability: 'enabled' | 'disabled' | 'blocked'
  /** How the tool differs from its pin. Absent if it does not differ. */
  readonly change?: ToolChange['kind']
  readonly isReadOnly?: boolean
  /** Tokens of its definition in tools/list (o200k). Absent until it is counted. */
  readonly tokens?: number
  /** The calls in the audit log that this caller may know about. Only the last 100,000 calls are counted. */
  readonly calls: number
  readonly warnings: number
}

/** GET api/tool?id=server:tool */
export interface InspectorTool extends InspectorToolRow {
  readonly title?: string
  readonly description: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly annotations?: Readonly<Record<string, unknown>>
  readonly warningTexts: readonly string[]
  /** One line per parameter, as get_tool_details shows it to the model. */
  readonly signature: string
  /** The name by which tools/call reaches it. */
  readonly callName: string
  /**
   * A tools/call that must come first if the strategy accepts only calls of enabled tools and this caller has not
   * enabled the tool. It also adds the tool to the list of other clients with this token.
   */
  readonly prepare?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }
  readonly pin: {
    readonly state: 'none' | 'pinned' | ToolChange['kind']
    readonly pinnedAt?: string
    readonly diff?: readonly string[]
    readonly command?: string
  }
  /** The rule that decided whether the tool is enabled. */
  readonly rule?: { readonly index: number; readonly text: string; readonly owner?: 'project' }
  readonly usage: {
    readonly calls: number
    readonly errors: number
    readonly lastCall?: string
    readonly p50Ms?: number
    readonly p95Ms?: number
  }
}

/** GET api/search?q=TEXT&strategies=gateway,lazy */
export interface InspectorSearch {
  readonly query: string
  readonly hits: readonly InspectorHit[]
  readonly answers: readonly InspectorAnswer[]
  /** The reason why nothing was found, or only tools of little relevance. */
  readonly reason?: string
}

export interface InspectorHit {
  readonly id: string
  readonly relevance: number
  readonly summary: string
  /** The terms that matched, the field of each, and its share of the score. */
  readonly reasons: readonly InspectorReason[]
}

export interface InspectorReason {
  /** The word of the query. */
  readonly word: string
  /** The matching word of the tool. It may be another form or a similar word. */
  readonly term: string
  readonly field: string
  /** From 0 to 1. The scores of one hit add up to at most 1, because only the largest are listed. */
  readonly score: number
}

/** The exact text that the model gets under one strategy for this query. */
export interface InspectorAnswer {
  readonly strategy: string
  /** The call that the model makes, as JSON text. */
  readonly request: string
  readonly text: string
  /** The tokens of the whole text, even if `text` is cut. */
  readonly tokens: number
  readonly isCut?: boolean
}

/** GET api/calls (JSON, the latest first) and GET api/calls/stream (text/event-stream, one record per event). */
export interface InspectorCall {
  readonly time: string
  readonly principal: string
  readonly server: string
  readonly tool: string
  /** `ok`, or the code of the error. */
  readonly outcome: string
  readonly durationMs: number
  readonly transport: string
  readonly argumentBytes: number
  readonly argumentShape?: unknown
  readonly resultBytes?: number
}

/** GET api/usage?minutes=60: equal time slots, the oldest first. */
export interface InspectorUsage {
  readonly slotMs: number
  readonly startedAt: string
  readonly calls: readonly number[]
  readonly errors: readonly number[]
  /** Milliseconds; null for a slot without a call. */
  readonly p50: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
  /** The tokens that clients saved in each slot. Absent for a caller with limited rights, or if not recorded. */
  readonly tokensSaved?: readonly number[]
}

/** GET api/config. Only for a caller with all rights. */
export interface InspectorConfig {
  readonly files: readonly string[]
  readonly sources: readonly {
    readonly name: string
    readonly path: string
    readonly servers: readonly string[]
    readonly isUsed: boolean
    readonly note?: string
  }[]
  readonly rules: readonly InspectorRule[]
  readonly problems: readonly {
    readonly severity: 'error' | 'warning'
    readonly message: string
    readonly path?: string
  }[]
}

export interface InspectorRule {
  /** The position in its file, from 1. */
  readonly index: number
  /** Set for a rule of the project config, which has its own numbers. */
  readonly owner?: 'project'
  readonly text: string
  readonly effect: 'enables' | 'disables' | 'tags'
  /** The number of tools for which this rule decides. Tools for which the other config decides are not counted. */
  readonly decides: number
  readonly matches: number
  /** Set if other rules decide about all tools that this rule matches: the first of those rules. */
  readonly shadowedBy?: number
}

/** The body of POST api/config/preview. */
export interface InspectorPreviewRequest {
  /** A rule as in `discovery.toolRules`. */
  readonly rule: unknown
  /** The position that the rule would get, from 1. Default: the first. */
  readonly at?: number
}

/** POST api/config/preview: the changes that a rule would make. Writes nothing. */
export interface InspectorPreview {
  readonly enabled: readonly string[]
  readonly disabled: readonly string[]
  readonly tagged: readonly string[]
  /** Tokens of all enabled tools, listed in full (o200k). */
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly problems: readonly string[]
  /** The text to put into the config file. */
  readonly text: string
}
