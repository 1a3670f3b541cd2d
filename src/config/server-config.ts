// The configuration of one MCP server, independent of its file. `${VAR}` references are not resolved yet.

/**
 * The variables of this process that a server gets. True: all but the secrets of other servers and of the gateway.
 * False: a few that every program needs. A list: these few and the names that match one of its globs.
 */
export type InheritEnv = boolean | readonly string[]

export interface StdioConnection {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A file of `NAME=value` lines, read when the server starts. `env` has precedence over it. */
  readonly envFile?: string
  /** The hash of the approved env file of a project server. The server does not start with other content. */
  readonly envFileSha256?: string
  /** Default: the setting for all servers. */
  readonly inheritEnv?: InheritEnv
  /** Variables such as `NODE_OPTIONS` that `env` and the env file may set. See `loader-variables.ts`. */
  readonly allowEnv?: readonly string[]
}

export interface HttpConnection {
  /** `http` is Streamable HTTP, `sse` is the older transport. */
  readonly type: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How to log in. Default: as the server and its authorization server describe it. */
  readonly auth?: HttpAuth
}

/** The settings of an OAuth login. */
export interface HttpAuth {
  /** `client_credentials`: the gateway logs in by itself, with the secret of its client. Default: a person logs in. */
  readonly grant?: 'authorization_code' | 'client_credentials'
  /** A client that was registered by hand. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** The https address of a client id metadata document. */
  readonly clientMetadataUrl?: string
  readonly scopes?: readonly string[]
  /** The only authorization server that may get the client's secret. */
  readonly issuer?: string
  /** The port of the redirect address, for clients that were registered with one. */
  readonly redirectPort?: number
}

export type Connection = StdioConnection | HttpConnection

/** Returns the connection if it starts a program, and undefined if it has an address. */
export function programIn(connection: Connection): StdioConnection | undefined {
  return 'command' in connection ? connection : undefined
}

/** Returns the connection if it has an address, and undefined if it starts a program. */
export function remoteIn(connection: Connection): HttpConnection | undefined {
  return 'url' in connection ? connection : undefined
}

/** A tool that the config declares. It is part of the manifest of the server until the server lists its tools. */
export interface DeclaredTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: Readonly<Record<string, unknown>>
}

/** The file in which a server was found. It is used in reports, and distinguishes servers with the same name. */
export interface Origin {
  /** `config`, `project` for the config of the current folder, or the name of the client. */
  readonly source: string
  readonly file: string
  /** The path in the file, such as `mcpServers.github`. */
  readonly path?: string
}

export interface ServerConfig {
  readonly name: string
  /** The name in the file, if the server is served under another name. */
  readonly writtenName?: string
  readonly title?: string
  readonly description?: string
  readonly connection: Connection
  readonly enabled: boolean
  readonly timeoutMs?: number
  /** The server is stopped after this time without a call. 0 means never. */
  readonly idleMs?: number
  readonly tools?: readonly DeclaredTool[]
  /** Whether `includeContext` of its sampling requests is passed to the client. By default it is removed. */
  readonly includeContext?: boolean
  /** True: each person has a process or connection, variables and a login of their own. */
  readonly perPrincipal?: boolean
  /**
   * The variables such as `${workspaceFolder}` that its client replaces by the open folder. Here they are replaced by
   * the current folder.
   */
  readonly folderVariables?: readonly string[]
  readonly origin: Origin
}

/** A rule as written in the config. */
export interface ToolRule {
  /** Globs or `/regex/flags`, optionally after a `!`. */
  readonly pattern: readonly string[]
  readonly server?: string
  /** Default: true. A rule with `tags` or `category` has no default: it neither enables nor disables. */
  readonly enabled?: boolean
  readonly tags?: readonly string[]
  /**
   * The category of matching tools, unless the author of a tool sets one. The first matching rule with a category
   * decides.
   */
  readonly category?: string
  /** The server entry with the tool list that this rule comes from. Undefined for rules that the user wrote. */
  readonly origin?: Origin
}
