// The interface of a connection kind, such as `stdio` or `http`: how to read, change and describe such a connection.

import type { ConfigFinding } from './problem.ts'
import type { Connection, DeclaredTool, HttpAuth, InheritEnv } from './server-config.ts'
import type { ToolLists } from './tool-lists.ts'

/** The fields that all formats of an entry have in common, under our names. */
export interface EntryFields extends ToolLists {
  /** A name for people. */
  readonly title?: string | undefined
  /** The purpose of the server. */
  readonly description?: string | undefined
  /** The kind of the connection. Default: from `command` or `url`. */
  readonly type?: string | undefined
  /** The program to start. */
  readonly command?: string | undefined
  /** Its arguments. */
  readonly args?: readonly string[] | undefined
  /** Variables that are added to the inherited ones. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** A file of `NAME=value` lines. */
  readonly envFile?: string | undefined
  /** The working directory of the program. */
  readonly cwd?: string | undefined
  /** Which variables of the gateway the server gets. */
  readonly inheritEnv?: InheritEnv | undefined
  /** Variables such as `NODE_OPTIONS` that `env` may set. */
  readonly allowEnv?: readonly string[] | undefined
  /** The address of the MCP endpoint. */
  readonly url?: string | undefined
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How to log in. */
  readonly auth?: HttpAuth | undefined
  /** False: the server is not started. Default: true. */
  readonly enabled?: boolean | undefined
  /** The time limit of one call, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** The server is stopped after this time without a call, in milliseconds. 0 means never. */
  readonly idleMs?: number | undefined
  /** Tools that are known before the server was asked. */
  readonly tools?: readonly DeclaredTool[] | undefined
  /** Whether `includeContext` of its sampling requests is passed on. */
  readonly includeContext?: boolean | undefined
  /** Whether each person has a process or connection of their own. */
  readonly perPrincipal?: boolean | undefined
}

/** Reads the values of one entry and collects its problems. */
export interface EntryReader {
  report(field: keyof EntryFields, finding: ConfigFinding, ...deeper: readonly PropertyKey[]): void
  /** Translates the references of a client into ours. */
  translate(text: string, field: keyof EntryFields, ...deeper: readonly PropertyKey[]): string
  translateValues(field: 'env' | 'headers'): Readonly<Record<string, string>>
  /** Resolves `~` and relative paths. */
  resolvePath(path: string): string
}

/** Describes one text of a connection. */
export interface ConnectionText {
  /** The path in the entry, such as `['env', 'TOKEN']`. */
  readonly field: readonly [keyof EntryFields, ...(readonly (string | number)[])]
  /**
   * Decides how to find secrets in the text. `value`: the last part of `field` is the name of the text. `program`: only
   * a reference in the text can be a secret. `setting`: the text contains no secret.
   */
  readonly role: 'program' | 'argument' | 'value' | 'header' | 'url' | 'setting'
  /** The argument before this one. */
  readonly before?: string
}

export type ChangeText = (text: string, about: ConnectionText) => string

/** The connection fields of an entry in our config. Default values are left out. */
interface ConnectionEntry {
  type?: string
  command?: string
  args?: string[]
  env?: Record<string, string>
  cwd?: string
  envFile?: string
  inheritEnv?: boolean | string[]
  allowEnv?: string[]
  url?: string
  headers?: Record<string, string>
  auth?: Omit<HttpAuth, 'scopes'> & { scopes?: string[] }
}

/** One entry of the table in `connection-kinds.ts`. */
export interface ConnectionKind<C extends Connection> {
  /** The values of `type` in config files, in lower case and without `-` and `_`. */
  readonly words: readonly string[]
  /** The field that an entry of this kind needs, and its name in a problem. */
  readonly field: 'command' | 'url'
  readonly fieldText: string
  /** The label of the command line or address in a report. */
  readonly targetLabel: string
  /** Tells the user how to find out why a server does not start: a server of a config, or one behind `toolcrib wrap`. */
  readonly advice: { readonly configured: string; readonly wrapped: string }
  /** The default of `idleMs`. */
  readonly idleMs: number
  /** Whether an entry with this text in `field`, but without `type`, is of this kind. */
  isMeant(text: string): boolean
  build(fields: EntryFields, reader: EntryReader): C
  /** The inverse of `build`. */
  entry(connection: C): ConnectionEntry
  /** Changes every text that can contain a reference. Names of variables and headers stay the same. */
  mapTexts(connection: C, change: ChangeText): C
  /** The variables or headers of the connection. */
  values(connection: C): Readonly<Record<string, string>>
  /** The command line or address, and notes on the rest: names of variables and headers, without their values. */
  summarize(connection: C): { readonly target: string; readonly notes: readonly string[] }
  /** The program or address without versions, further arguments and query: it stays the same after an update. */
  stableTarget(connection: C): string
}
