// The configuration of one MCP server, independent of its file. `${VAR}` references are not resolved yet.

import type { Connection, ProgramConnection, RemoteConnection } from './connection-kinds.ts'

export type { HttpAuth, InheritEnv } from './connection-kind.ts'
export type { Connection, ProgramConnection, RemoteConnection } from './connection-kinds.ts'
export type { HttpConnection } from './http-kinds.ts'
export type { StdioConnection } from './stdio-kind.ts'

/** Returns the connection if it starts a program, and undefined if it has an address. */
export function programIn(connection: Connection): ProgramConnection | undefined {
  return 'command' in connection ? connection : undefined
}

/** Returns the connection if it has an address, and undefined if it starts a program. */
export function remoteIn(connection: Connection): RemoteConnection | undefined {
  return 'url' in connection ? connection : undefined
}

/** Returns whether the connection has the header `Authorization`, in upper or lower case. */
export function hasAuthorizationHeader(connection: Connection): boolean {
  const names = Object.keys(remoteIn(connection)?.headers ?? {})
  return names.some((name) => name.toLowerCase() === 'authorization')
}

/** A tool that the config declares. It is part of the manifest of the server until the server lists its tools. */
interface DeclaredTool {
  /** The name at the server. */
  readonly name: string
  /** The purpose of the tool. */
  readonly description?: string
  /** The JSON Schema of the arguments. Absent: unknown until the server lists its tools. */
  readonly inputSchema?: Readonly<Record<string, unknown>>
}

/** The file in which a server was found. It is used in reports, and distinguishes servers with the same name. */
export interface Origin {
  /** `config`, `project` for the config of the current folder, the name of the client, `example` or `wrap`. */
  readonly source: string
  /** The path of the file. Empty for `wrap`. */
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
  /** The tools that are shown until the server has listed its own. */
  readonly tools?: readonly DeclaredTool[]
  /** Whether `includeContext` of its sampling requests is passed to the client. By default it is removed. */
  readonly includeContext?: boolean
  /** True: each person has a process or connection, variables and a login of their own. */
  readonly perPrincipal?: boolean
  /**
   * The variables such as `${workspaceFolder}` that its client replaces with the open folder. Here they are replaced
   * with the current folder.
   */
  readonly folderVariables?: readonly string[]
  /** Where the server was found. */
  readonly origin: Origin
}

/** A rule as written in the config. */
export interface ToolRule {
  /** Globs or `/regex/flags`, optionally after a `!`. */
  readonly pattern: readonly string[]
  /** The name of a server or a pattern: the rule matches only tools of these servers. Default: of all servers. */
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
