// The secret key for the hashes in the audit log.

import { loadSharedKey } from '../../storage/shared-key.ts'
import type { Store } from '../../storage/store.ts'

const NAME = 'audit-key'

/** Never rejects: if the store fails, the key is valid for this process only. */
export function loadAuditKey(store: Store, onProblem?: (reason: string) => void): Promise<Uint8Array> {
  return loadSharedKey(store, NAME, () =>
    onProblem?.('the key of the audit log was written by another version of Toolcrib; a new key is used'),
  )
}
