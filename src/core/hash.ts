// Hashes of texts and of JSON values.

import { createHash } from 'node:crypto'
import { isRecord } from './is-record.ts'

/** 128 bits of SHA-256, in hex. Equal values have equal hashes, in every version: the hash is part of stored keys. */
export function stableHash(value: unknown): string {
  return createHash('sha256').update(stableJson(value)).digest('hex').slice(0, 32)
}

/**
 * The name of a session in a store: 128 bits of SHA-256, in hex. The id itself must not be in a store, because it gives
 * access to the session.
 */
export function sessionName(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('hex').slice(0, 32)
}

/** JSON with sorted keys at every level. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

/** A short hash that distinguishes texts: 53 bits in base 36. Not cryptographic: an attacker can find collisions. */
export function fingerprint(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}
