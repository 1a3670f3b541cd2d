// The interface of a connection kind, such as `stdio` or `http`: how to read, change and describe such a connection.

import type { ConfigFinding } from './problem.ts'

/**
 * The variables of this process that a server gets. True: all but the secrets of other servers and of the gateway.
 * False: a few that every program needs. A list: these few and the names that match one of its globs.
 */
export type InheritEnv = boolean | readonly string[]

/** The fields of a connection that starts a program. */
export interface Program {
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
  /** Default: the setting for all servers, but false instead of true for a server with `perPrincipal`. */
  readonly inheritEnv?: InheritEnv
  /** Variables such as `NODE_OPTIONS` that `env` and the env file may set. See `prepare-connection.ts`. */
  readonly allowEnv?: readonly string[]
}

/** The fields of a connection to an address. */
export interface Remote {
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

/** The fields of an entry that describe its connection, under our names. Every format is converted to them. */
export type ConnectionFields = {
  /** The kind of the connection. Default: from `command` or `url`. */
  readonly type?: string | undefined
} & { readonly [Key in Exclude<keyof AnyConnection, 'envFileSha256'>]?: AnyConnection[Key] | undefined }

type AnyConnection = Program & Remote

/** Reads the values of one entry and collects its problems. */
export interface EntryReader {
  /** Adds a problem of a field. `deeper` is the path inside the field. */
  report(field: keyof ConnectionFields, finding: ConfigFinding, ...deeper: readonly PropertyKey[]): void
  /** Translates the references of a client into ours. */
  translate(text: string, field: keyof ConnectionFields, ...deeper: readonly PropertyKey[]): string
  /** Translates the references in all values of a field. */
  translateValues(field: 'env' | 'headers'): Readonly<Record<string, string>>
  /** Resolves `~` and relative paths. */
  resolvePath(path: string): string
}

/** Describes one text of a connection. */
export interface ConnectionText {
  /** The path in the entry, such as `['env', 'TOKEN']`. */
  readonly field: readonly [keyof ConnectionFields, ...(readonly (string | number)[])]
  /**
   * Decides how to find secrets in the text. `value` and `header`: the last part of `field` is the name of the variable,
   * header or setting. `program`: only a reference in the text can be a secret. `setting`: the text contains no secret.
   */
  readonly role: 'program' | 'argument' | 'value' | 'header' | 'url' | 'setting'
  /** The argument before this one. */
  readonly before?: string
}

export type ChangeText = (text: string, about: ConnectionText) => string

/** `initialize` opens a legacy session. `discover` asks for the eras of the server; the newest is used. */
export type Handshake = 'initialize' | 'discover'

/**
 * One entry of the table in `connection-kinds.ts`. Its transport is an entry in `sources/upstream/connection.ts`. `C` is
 * the type of its connections: `Program` or `Remote`, with a `type` of its own.
 */
export interface ConnectionKind<C extends Program | Remote> {
  /** The values of `type` in config files, in lower case and without `-` and `_`. */
  readonly words: readonly string[]
  /** The field that an entry of this kind needs. */
  readonly field: 'command' | 'url'
  /** The name of that field in a problem. */
  readonly fieldText: string
  /** The label of the command line or address in a report. */
  readonly targetLabel: string
  /** Tells the user how to find out why a server does not start: a server of a config, or one behind `toolcrib wrap`. */
  readonly advice: { readonly configured: string; readonly wrapped: string }
  /** The default of `idleMs`. */
  readonly idleMs: number
  /** True if each connection starts a process. A process is started as rarely as possible. */
  readonly isProcess: boolean
  /** The handshakes that its servers may support. The first one is tried while the era of a server is unknown. */
  readonly handshakes: readonly [Handshake, ...Handshake[]]
  /** The first HTTP request of a client: `GET` opens a stream, `POST` sends the handshake. Absent for programs. */
  readonly firstMethod?: 'GET' | 'POST'
  /** The text for the flag `--TYPE` of `toolcrib wrap`. Absent if the command line needs no flag for this kind. */
  readonly flagText?: string
  /** Whether an entry with this text in `field`, but without `type`, may be of this kind. */
  isMeant(text: string): boolean
  /** Makes the connection from the fields of an entry. */
  build(fields: ConnectionFields, reader: EntryReader): C
  /** The connection fields of an entry in our config: the inverse of `build`. Default values are left out. */
  entry(connection: C): ConnectionFields
  /** Changes every text that can contain a reference. Names of variables and headers stay the same. */
  mapTexts(connection: C, change: ChangeText): C
  /** The variables or headers of the connection. */
  values(connection: C): Readonly<Record<string, string>>
  /** The command line or address, and notes on the rest: names of variables and headers, without their values. */
  summarize(connection: C): { readonly target: string; readonly notes: readonly string[] }
  /** The program or address without versions, further arguments and query: it stays the same after an update. */
  stableTarget(connection: C): string
}
