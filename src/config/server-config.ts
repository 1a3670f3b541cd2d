// The configuration of one MCP server, independent of its file. `${VAR}` references are not resolved yet.

/**
 * The variables of this process that a server gets. True: all but the secrets of other servers and of the gateway.
 * False: a few that every program needs. A list: these few and the names that match one of its globs.
 */
export type InheritEnv = boolean | readonly string[]

export interface StdioConnection {
  /** The server talks over its stdin and stdout. */
  readonly type: 'stdio'
  /** The program to start. */
  readonly command: string
  /** Its arguments. */
  readonly args: readonly string[]
  /** Variables that are added to the inherited ones. */
  readonly env: Readonly<Record<string, string>>
  /** Its working directory. Default: that of the gateway. */
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
  /** The address of the MCP endpoint. */
  readonly url: string
  /** Sent with each request. */
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
  /** The secret of that client. */
  readonly clientSecret?: string
  /** The https address of a client id metadata document. */
  readonly clientMetadataUrl?: string
  /** The scopes to ask for. Default: those that the server names. */
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
  /** The name at the server. */
  readonly name: string
  /** The purpose of the tool. */
  readonly description?: string
  /** The JSON Schema of the arguments. Absent: unknown until the server lists its tools. */
  readonly inputSchema?: Readonly<Record<string, unknown>>
}

/** The file in which a server was found. It is used in reports, and distinguishes servers with the same name. */
export interface Origin {
  /** `config`, `project` for the config of the current folder, or the name of the client. */
  readonly source: string
  /** The path of the file. */
  readonly file: string
  /** The path in the file, such as `mcpServers.github`. */
  readonly path?: string
}

export interface ServerConfig {
  /** The name under which the server is served. */
  readonly name: string
  /** The name in the file, if the server is served under another name. */
  readonly writtenName?: string
  /** A name for people. */
  readonly title?: string
  /** The purpose of the server. */
  readonly description?: string
  /** How the server is reached. */
  readonly connection: Connection
  /** False: the server is not started. */
  readonly enabled: boolean
  /** The time limit of one call, in milliseconds. */
  readonly timeoutMs?: number
  /** The server is stopped after this time without a call. 0 means never. */
  readonly idleMs?: number
  /** Tools that are known before the server was asked. */
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
  /** Where the server was found. */
  readonly origin: Origin
}

/** A rule as written in the config. */
export interface ToolRule {
  /** Globs or `/regex/flags`, optionally after a `!`. */
  readonly pattern: readonly string[]
  /** Matches only the tools of this server. Default: the tools of all servers. */
  readonly server?: string
  /** Default: true. A rule with `tags` or `category` has no default: it neither enables nor disables. */
  readonly enabled?: boolean
  /** Added to the tags of matching tools. */
  readonly tags?: readonly string[]
  /**
   * The category of matching tools, unless the author of a tool sets one. The first matching rule with a category
   * decides.
   */
  readonly category?: string
  /** The server entry with the tool list that this rule comes from. Undefined for rules that the user wrote. */
  readonly origin?: Origin
}
