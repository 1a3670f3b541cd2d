// Builds a connection that code or a command line gives. Its texts are literal: they contain no references.

import type { ConnectionFields } from './connection-kind.ts'
import { type Connection, KIND_NAMES, NAMED_KINDS } from './connection-kinds.ts'

type GivenConnection =
  | { readonly ok: true; readonly connection: Connection }
  /** `reason` is a clause about the connection, such as "it has no command". */
  | { readonly ok: false; readonly reason: string }

export function givenConnection(fields: ConnectionFields): GivenConnection {
  const [, kind] = NAMED_KINDS.find(([type]) => type === fields.type) ?? []
  if (kind === undefined) return { ok: false, reason: `its type is not ${KIND_NAMES}` }
  const target = fields[kind.field]
  if (typeof target !== 'string' || target === '') return { ok: false, reason: `it has no ${kind.field}` }
  // The kind accepts a reference as an address, because it does not know the value.
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
