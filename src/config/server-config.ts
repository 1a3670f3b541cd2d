// One MCP server as configured, whichever file it came from. `${VAR}` references are still references.

export interface StdioConnection {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A file of `NAME=value` lines, read when the server starts; what `env` says wins over it. */
  readonly envFile?: string
  /** The hash of the approved env file of a project's server. The server does not start with any other content. */
  readonly envFileSha256?: string
}

export interface HttpConnection {
  /** `http` is Streamable HTTP, `sse` the older transport. */
  readonly type: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type Connection = StdioConnection | HttpConnection

/** A tool written down in the config: part of the server's manifest until the server has been asked. */
export interface DeclaredTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: Readonly<Record<string, unknown>>
}

/** Where a server was found, for reports and for telling two of one name apart. */
export interface Origin {
  /** `config`, `project` for the config of the current folder, or the client whose file it is. */
  readonly source: string
  readonly file: string
  /** Where in the file, like `mcpServers.github`. */
  readonly path?: string
}

export interface ServerConfig {
  readonly name: string
  /** The name in its own file, where another server has that name. */
  readonly writtenName?: string
  readonly title?: string
  readonly description?: string
  readonly connection: Connection
  readonly enabled: boolean
  readonly timeoutMs?: number
  /** Stopped after this long without a call; 0 never. */
  readonly idleMs?: number
  readonly tools?: readonly DeclaredTool[]
  /** Whether `includeContext` of its sampling requests reaches the client; left out, it is removed. */
  readonly includeContext?: boolean
  readonly origin: Origin
}

/** A rule as written: which tools, and what is said of them. */
export interface ToolRule {
  /** Globs, `/regex/flags`, and `!` before either. */
  readonly pattern: readonly string[]
  readonly server?: string
  /** Left out: a rule with `tags` or `category` only tags or categorizes, one with neither enables. */
  readonly enabled?: boolean
  readonly tags?: readonly string[]
  /** The category of matching tools whose author states none. The first matching rule with a category decides. */
  readonly category?: string
  /** The client whose allow or deny list this carries over; absent on rules the user wrote. */
  readonly origin?: Origin
}
