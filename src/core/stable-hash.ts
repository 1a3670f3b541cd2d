// A hash of a JSON value that does not depend on the order of its keys.

import { createHash } from 'node:crypto'
import { isRecord } from './is-record.ts'

/** 128 bits of SHA-256, in hex. Equal values have equal hashes, in every version: the hash is part of stored keys. */
export function stableHash(value: unknown): string {
  return createHash('sha256').update(stableJson(value)).digest('hex').slice(0, 32)
}

/** JSON with sorted keys at every level. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}
