// The audit log: one line for each attempt to call a tool. A strict audit also writes a line before each attempt.

import type { KeyObject } from 'node:crypto'
import { fail } from '../core/errors.ts'
import { attempt as callListener } from '../core/listeners.ts'
import type { FailureResult } from '../core/result.ts'
import type { AppendLog } from '../storage/append-log.ts'
import type { Store } from '../storage/store.ts'
import {
  type Attempt,
  type AuditRecord,
  type IntendedCall,
  type NotedAttempt,
  noteAttempt,
  recordOf,
  toRecord,
  toSearch,
  toStarted,
} from './audit/audit-record.ts'
import { createHashKey } from './audit/hash-key.ts'
import { createRecordQueue } from './audit/record-queue.ts'
import { createRecordWriter } from './audit/record-writer.ts'
import type { Redact } from './audit/redacted-text.ts'

export type { Attempt, AuditRecord } from './audit/audit-record.ts'

export interface AuditOptions {
  /**
   * The audit closes this log. It must be `strict`: a lenient log drops lines without an error, so the audit could not
   * report them.
   */
  readonly log: AppendLog
  /** `strict`: a call runs only after its `started` line is in the log. */
  readonly mode: 'lenient' | 'strict'
  /** Also writes the argument values, not only their shape. */
  readonly values?: boolean | undefined
  /** Removes known secrets from a text. */
  readonly redact?: Redact
  /**
   * Stores the hash key. Without a store, each process makes its own key, so hashes are not comparable between
   * processes.
   */
  readonly store?: Store
  readonly now?: () => number
  /** Called once when the log becomes unwritable, not once per lost line, and later with the number of lost records. */
  onProblem?(reason: string): void
  /** Called for every record of a call that is made, even if the record cannot be written. */
  onRecord?(record: AuditRecord): void
}

export interface Audit {
  /**
   * Must be called before each tool call. Resolves with the failure to return if the call must not run. A lenient audit
   * returns undefined at once.
   */
  admit(intended: IntendedCall): Promise<FailureResult | undefined> | undefined
  /**
   * Must be called after every tool call, even a failed one. Never throws and never rejects. A strict audit resolves
   * when the line is written. A lenient audit writes the line within 50 ms, together with others.
   */
  record(attempt: Attempt): Promise<void> | undefined
  /** Records a search for tools, with its query. Does nothing unless `values` is set. Never throws. */
  searched(search: Pick<Attempt, 'caller'> & { readonly query: string }): void
  /** Resolves when every line is written. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The estimated length of a line without arguments. */
const LINE_BYTES = 320
/** The maximum that the arguments add to the estimated length of a line. */
const MAX_LINE_BYTES = 16 * 1_024

export function createAudit(options: AuditOptions): Audit {
  const { log, mode, values = false, store, now = Date.now, onProblem, onRecord } = options
  const redact = guardRedact(options.redact)
  const writer = createRecordWriter({ log, now, onProblem })
  const hashKey = createHashKey({
    store,
    onProblem: (reason) => callListener(() => onProblem?.(reason)),
    onFull: () => writer.reportOutage(new Error('The audit log waits for its key; records are lost')),
  })
  let appending: Promise<unknown> = Promise.resolve()
  const queue = createRecordQueue((records) => {
    appending = Promise.all([appending, writer.appendRecords(...records)])
  })

  const announce = (record: AuditRecord): AuditRecord => {
    callListener(() => onRecord?.(record))
    return record
  }

  const queueRecord = (heldBytes: number, lineBytes: number, make: (key: KeyObject) => object) =>
    void hashKey.whenLoaded(heldBytes, (key) =>
      queue.add({ make: () => writer.makeOrReport(() => make(key)), heldBytes, lineBytes }),
    )

  const writeNow = async (attempt: Attempt): Promise<void> => {
    await hashKey.whenLoaded(0, async (key) => {
      const record = writer.makeOrReport(() => announce(toRecord(attempt, { key, redact, values, now })))
      if (record !== undefined) await writer.appendRecords(record)
    })
  }

  const close = async () => {
    await hashKey.settle()
    queue.flush()
    await appending
    await writer.close()
  }

  const admitStrictly: Audit['admit'] = async (intended) => {
    const isWritten = await writer.append(toStarted(intended, { key: await hashKey.load(), redact, now }))
    return isWritten ? undefined : fail('AUDIT_FAILED', { name: intended.tool })
  }

  return {
    admit: mode === 'strict' ? admitStrictly : () => undefined,
    record(attempt) {
      if (mode === 'strict') return writeNow(attempt)
      const noted = writer.makeOrReport(() => noteAttempt(attempt))
      if (noted === undefined) return undefined
      const { heldBytes } = noted
      queueRecord(heldBytes, lineBytes(noted, values), (key) => announce(recordOf(noted, { key, redact, values, now })))
      return undefined
    },
    searched(search) {
      if (!values) return
      // The record is made later, so the time of the search is taken now.
      const at = now()
      const bytes = LINE_BYTES + search.query.length
      queueRecord(bytes, Math.min(bytes, MAX_LINE_BYTES), (key) => toSearch(search, { key, redact, now: () => at }))
    },
    [Symbol.asyncDispose]: close,
  }
}

/** The estimated length of the line. It has the keys of the arguments, and their values only if `values` is set. */
function lineBytes({ sampled }: NotedAttempt, values: boolean): number {
  return LINE_BYTES + Math.min(values ? sampled.heldBytes : sampled.heldBytes / 8, MAX_LINE_BYTES)
}

/** If `redact` throws, the text is replaced: it could contain a secret. */
function guardRedact(redact: Redact = (text) => text): Redact {
  return (text) => {
    try {
      return redact(text)
    } catch {
      return '<cannot be redacted>'
    }
  }
}
