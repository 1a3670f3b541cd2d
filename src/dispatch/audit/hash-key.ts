// The keyed hash of the audit log: loads its secret key. Records wait for it in the order of their calls.

import { randomBytes } from 'node:crypto'
import { loadSharedKey } from '../../storage/shared-key.ts'
import type { Store } from '../../storage/store.ts'
import { createKeyedHash, type KeyedHash } from './keyed-hash.ts'

interface HashKeyOptions {
  /** Without a store, each process makes its own key. */
  readonly store: Store | undefined
  onProblem(reason: string): void
  /** Called for each record that is lost because too many wait for the key already. */
  onFull(): void
}

/** The limits for the records that wait until the key is loaded. */
const MAX_WAITING = 10_000
const MAX_WAITING_BYTES = 64 * 1_024 * 1_024

export function createHashKey({ store, onProblem, onFull }: HashKeyOptions) {
  let hash: KeyedHash | undefined
  let loading: Promise<KeyedHash> | undefined
  let waiting = 0
  let waitingBytes = 0

  /** Loads the key once, and resolves with the keyed hash. Never rejects. */
  const load = (): Promise<KeyedHash> => {
    const bytes = () => (store === undefined ? randomBytes(32) : loadAuditKey(store, onProblem))
    loading ??= Promise.resolve(bytes()).then(createKeyedHash)
    return loading
  }
  return {
    load,
    /** Resolves when a load that has started is done. */
    settle: async () => loading,
    /**
     * Calls `use` with the keyed hash, at once if its key is loaded. Keeps the order: once a record waits for the key,
     * later records wait too. Calls `onFull` instead if too many records wait already. `heldBytes` is the memory that
     * the record takes while it waits.
     */
    whenLoaded(heldBytes: number, use: (hash: KeyedHash) => void) {
      if (hash !== undefined && waiting === 0) return use(hash)
      if (waiting >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES) return onFull()
      waiting += 1
      waitingBytes += heldBytes
      void load().then((loaded) => {
        hash = loaded
        waiting -= 1
        waitingBytes -= heldBytes
        use(loaded)
      })
    },
  }
}

/** The secret key for hashes. Never rejects: if the store fails, the key is valid for this process only. */
export function loadAuditKey(store: Store, onProblem?: (reason: string) => void): Promise<Uint8Array> {
  return loadSharedKey(store, 'audit-key', () =>
    onProblem?.('the key of the audit log was written by another version of Toolcrib; a new key is used'),
  )
}
