// The table of connection kinds, and the functions that read or change a connection of any kind.

import type { ChangeText, ConnectionKind, ConnectionText } from './connection-kind.ts'
import { httpKind, sseKind } from './http-kinds.ts'
import { parseTemplate, resolveText, type Variables } from './references.ts'
import type { Connection } from './server-config.ts'
import { stdioKind } from './stdio-kind.ts'

/** For an entry without a type, the first kind that accepts it is used. */
export const CONNECTION_KINDS: Readonly<Record<Connection['type'], ConnectionKind<Connection>>> = {
  stdio: stdioKind,
  sse: sseKind,
  http: httpKind,
}

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
  const names = textsOf(connection).flatMap(({ text }) =>
    parseTemplate(text).flatMap((part) => (typeof part === 'string' ? [] : [part.name])),
  )
  return [...new Set(names)]
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
