// The secret key for the hashes in the audit log. It is made once and stored, so that all processes use the same key.

import { randomBytes } from 'node:crypto'
import type { Store } from '../../storage/store.ts'

const NAME = 'audit-key'
const KEY_BYTES = 32

/** Never rejects: if the store fails, the key is valid for this process only. */
export async function loadAuditKey(store: Store, onProblem?: (reason: string) => void): Promise<Uint8Array> {
  const made = randomBytes(KEY_BYTES)
  try {
    const stored = await store.get(NAME)
    const known = parseKey(stored)
    if (stored !== undefined && known === undefined) {
      onProblem?.('the key of the audit log was written by another version of Toolcrib; a new key is used')
    }
    // The key is written again at each start, because a full store evicts its oldest entries.
    await store.set(NAME, (known ?? made).toString('hex'))
    // Another process may write its own key at the same moment. The last write wins, so read the key again.
    return parseKey(await store.get(NAME)) ?? made
  } catch {
    return made
  }
}

function parseKey(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) return undefined
  return Buffer.from(value, 'hex')
}
