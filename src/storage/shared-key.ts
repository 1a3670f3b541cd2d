// A secret key that is made once and stored, so that all processes with the same store use the same key.

import { randomBytes } from 'node:crypto'
import type { Store } from './store.ts'

const KEY_BYTES = 32

/**
 * Returns the stored key, or makes and stores one. If the store fails, the key is valid for this process only. Calls
 * `onUnknown` if the stored value is not a key.
 */
export async function loadSharedKey(store: Store, name: string, onUnknown?: () => void): Promise<Uint8Array> {
  const made = randomBytes(KEY_BYTES)
  try {
    const stored = await store.get(name)
    const known = parseKey(stored)
    if (stored !== undefined && known === undefined) onUnknown?.()
    if (store.update === undefined) {
      // The key is written again at each start, because a full store evicts its oldest entries.
      await store.set(name, (known ?? made).toString('hex'))
    } else {
      // Two processes that start at the same moment must not both write a key.
      await store.update(name, (value) => (parseKey(value) === undefined ? made.toString('hex') : value))
    }
    // Without `update`, another process may write its own key at the same moment, so the key is read again.
    return parseKey(await store.get(name)) ?? made
  } catch {
    return made
  }
}

function parseKey(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) return undefined
  return Buffer.from(value, 'hex')
}
