// The JSON that the inspector page gets from the gateway. The page and the gateway share these types, and nothing else.

/** GET api/overview */
export interface InspectorOverview {
  readonly gateway: {
    readonly name: string
    readonly version: string
    readonly strategy: string
    readonly startedAt: string
    /** The time zone independent clock of the gateway, so that the page can compute ages. */
    readonly now: string
    readonly mcpPath: string
  }
  readonly caller: {
    readonly principal: string
    /** False for a caller with limited rights, which sees no config and only its own calls. */
    readonly isUnlimited: boolean
    /** False if the token only allows reading. */
    readonly canCall: boolean
  }
  readonly servers: readonly InspectorServer[]
  readonly costs: readonly InspectorCost[]
  /** Problems that the operator should know about, without secrets. Empty for a caller with limited rights. */
  readonly problems: readonly string[]
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
  /** Tokens of the definitions of its visible tools (o200k). */
  readonly tokens?: number
  readonly isShared?: boolean
  readonly warnings: number
}

/** The tokens of tools/list under one strategy (o200k), for this caller and its visible tools. */
export interface InspectorCost {
  readonly strategy: string
  readonly tokens: number
  readonly isCurrent: boolean
  /** Set for the strategy that lists every tool with its schema. */
  readonly isEverything?: boolean
}

/** GET api/tools. Rows are small: a page shows 10,000 of them. */
export interface InspectorTools {
  /** Changes when the list changes. */
  readonly version: string
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
  readonly isEnabled: boolean
  /** The tool differs from the version that was pinned at its first use. */
  readonly isChanged: boolean
  readonly isReadOnly?: boolean
  readonly tokens: number
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
  readonly pin: {
    readonly state: 'none' | 'pinned' | 'changed' | 'blocked'
    readonly pinnedAt?: string
    readonly diff?: readonly string[]
    readonly command?: string
  }
  /** The rule that decided whether the tool is enabled. */
  readonly rule?: { readonly index: number; readonly text: string }
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
  /** Why nothing was found. */
  readonly reason?: string
}

export interface InspectorHit {
  readonly id: string
  readonly relevance: number
  readonly summary: string
  /** The terms that matched, the field of each, and its share of the score. */
  readonly reasons: readonly { readonly term: string; readonly field: string; readonly score: number }[]
}

/** Exactly what the model sees under one strategy for this question. */
export interface InspectorAnswer {
  readonly strategy: string
  /** The call that the model makes, as JSON text. */
  readonly request: string
  readonly text: string
  readonly tokens: number
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
  readonly traceId?: string
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
  /** Tokens that clients did not pay, summed per slot. */
  readonly tokensSaved: readonly number[]
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
  readonly index: number
  readonly text: string
  readonly effect: 'enables' | 'disables' | 'tags'
  /** The number of tools that it decides. */
  readonly decides: number
  readonly matches: number
  /** The rule that decides everything that this rule matches. */
  readonly shadowedBy?: number
}

/** POST api/config/preview {rule, at}: what a rule would change before it is written. Writes nothing. */
export interface InspectorPreview {
  readonly enabled: readonly string[]
  readonly disabled: readonly string[]
  readonly tagged: readonly string[]
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly problems: readonly string[]
  /** The text to put into the config file. */
  readonly text: string
}
