// The table of connection kinds, and the functions that read or change a connection of any kind.

import type {
  ChangeText,
  ConnectionFields,
  ConnectionKind,
  ConnectionText,
  Program,
  Remote,
} from './connection-kind.ts'
import { httpKind, sseKind } from './http-kinds.ts'
import { namesIn, resolveText, type Variables } from './references.ts'
import { stdioKind } from './stdio-kind.ts'

/** A new kind is one more line at the end: for an entry without a type, the last kind that accepts it is used. */
const KINDS = {
  stdio: stdioKind,
  http: httpKind,
  sse: sseKind,
}

type Kinds = typeof KINDS
type ConnectionOf<K> = K extends ConnectionKind<infer C> ? C : never

/** How a server is started or reached. */
export type Connection = ConnectionOf<Kinds[keyof Kinds]>
export type ProgramConnection = Extract<Connection, Program>
export type RemoteConnection = Extract<Connection, Remote>

const CONNECTION_KINDS: Readonly<Record<Connection['type'], ConnectionKind<Connection>>> = KINDS

/** Every kind with its name, which is the `type` of its connections. */
export const NAMED_KINDS: readonly (readonly [type: string, kind: ConnectionKind<Connection>])[] =
  Object.entries(CONNECTION_KINDS)

/** The names of the kinds with an address. */
export const REMOTE_TYPES: readonly string[] = NAMED_KINDS.flatMap(([type, { field }]) =>
  field === 'url' ? [type] : [],
)

/** The names of all kinds, for messages: `'stdio', 'http' or 'sse'`. */
export const KIND_NAMES: string = NAMED_KINDS.map(([type]) => `'${type}'`)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ')

export function kindOf({ type }: Pick<Connection, 'type'>): ConnectionKind<Connection> {
  return CONNECTION_KINDS[type]
}

type ResolvedConnection =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly missing: readonly string[] }

/** Replaces every reference of a connection, or returns the variables that are not set. */
export function resolveConnection(connection: Connection, variables: Variables): ResolvedConnection {
  const missing = new Set<string>()
  const resolved = mapTexts(connection, (text) => {
    const result = resolveText(text, variables)
    if (result.ok) return result.text
    for (const name of result.missing) missing.add(name)
    return ''
  })
  return missing.size === 0 ? { ok: true, connection: resolved } : { ok: false, missing: [...missing] }
}

/** The variables that a connection refers to, with or without a default. */
export function referencedNames(connection: Connection): string[] {
  return [...new Set(textsOf(connection).flatMap(({ text }) => namesIn(text)))]
}

/** Changes every text of a connection that can contain a reference. */
export function mapTexts(connection: Connection, change: ChangeText): Connection {
  return kindOf(connection).mapTexts(connection, change)
}

export interface FoundText extends ConnectionText {
  readonly text: string
}

/** Every text of a connection that can contain a reference. */
export function textsOf(connection: Connection): readonly FoundText[] {
  const found: FoundText[] = []
  mapTexts(connection, (text, about) => {
    found.push({ ...about, text })
    return text
  })
  return found
}

type GivenConnection =
  | { readonly ok: true; readonly connection: Connection }
  /** `reason` is a clause about the connection, such as "it has no command". */
  | { readonly ok: false; readonly reason: string }

/** Makes the connection of a server that comes from flags or options in code, not from a config file. */
export function givenConnection(fields: ConnectionFields): GivenConnection {
  const [, kind] = NAMED_KINDS.find(([type]) => type === fields.type) ?? []
  if (kind === undefined) return { ok: false, reason: `its type is not ${KIND_NAMES}` }
  const target = fields[kind.field]
  if (typeof target !== 'string' || target === '') return { ok: false, reason: `it has no ${kind.field}` }
  // `build` accepts every address with a reference. Here references are not resolved, so `${URL}` is not valid.
  if (kind.field === 'url' && !URL.canParse(target)) return { ok: false, reason: 'its url is not a valid URL' }
  const reasons: string[] = []
  const connection = kind.build(fields, {
    report: (field, { expected }) => reasons.push(`its ${field} is not ${expected}`),
    translate: (text) => text,
    translateValues: (field) => fields[field] ?? {},
    resolvePath: (path) => path,
  })
  const [reason] = reasons
  return reason === undefined ? { ok: true, connection } : { ok: false, reason }
}
