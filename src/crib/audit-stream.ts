// Writes audit records to a file and to a log in the store that all gateways share.

import { raise } from '../core/errors.ts'
import { messageOf } from '../core/text.ts'
import type { AppendLog } from '../storage/append-log.ts'
import { StorageError } from '../storage/problem.ts'
import type { Store } from '../storage/store.ts'

/** The name of the log in the store. */
export const AUDIT_LOG = 'audit'
/** Enough for about one day of many busy gateways. Redis drops older records. */
const MAX_RECORDS = 1_000_000

/**
 * Returns a log that writes to the file and to the store. An append resolves when both have the records. A strict audit
 * runs the call only then.
 */
export function withStream(file: AppendLog, store: Store): AppendLog {
  // Called as a method: the store of an author can be a class.
  const appendTo = store.appendTo?.bind(store)
  if (appendTo === undefined) {
    return raise('INVALID_OPTIONS', {
      what: '`audit.stream`',
      reason: 'the store has no log that gateways share',
      todo: 'Set `store` to the address of a Redis server, or remove `audit.stream`.',
    })
  }
  return {
    async append(...records) {
      const lines = records.map((record) => JSON.stringify(record))
      const streamed = appendTo(AUDIT_LOG, lines, MAX_RECORDS).catch((cause) => {
        const message = `Cannot append to the audit log in the store: ${messageOf(cause)}`
        throw new StorageError({ kind: 'unwritable', path: AUDIT_LOG, message, cause })
      })
      // Waits for both writes, so that both have ended when a failure of one of them is thrown.
      const [inFile, inStream] = await Promise.allSettled([file.append(...records), streamed])
      for (const one of [inFile, inStream]) if (one.status === 'rejected') throw one.reason
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  }
}
