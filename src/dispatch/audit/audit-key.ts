// The secret under which arguments are hashed in the log: made once, kept with the other state, the same for all processes.

import { randomBytes } from 'node:crypto'
import type { Store } from '../../storage/store.ts'

const NAME = 'audit-key'
const KEY_BYTES = 32

/** Never rejects: where none can be kept, one for this process. */
export async function loadAuditKey(store: Store): Promise<Uint8Array> {
  const made = randomBytes(KEY_BYTES)
  try {
    const known = parseKey(await store.get(NAME))
    // Written again at each start: a store that is full lets go of what was written longest ago.
    await store.set(NAME, (known ?? made).toString('hex'))
    // Another process may have made one at the same moment; the last to write it decides for all that start from now on.
    return parseKey(await store.get(NAME)) ?? made
  } catch {
    return made
  }
}

function parseKey(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) return undefined
  return Buffer.from(value, 'hex')
}
