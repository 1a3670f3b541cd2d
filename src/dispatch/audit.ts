// The audit log: one line for each attempt to call a tool. A strict audit also writes a line before each attempt.

import { fail } from '../core/errors.ts'
import { attempt as callListener } from '../core/listeners.ts'
import type { FailureResult } from '../core/result.ts'
import { messageOf } from '../core/text.ts'
import type { AppendLog } from '../storage/append-log.ts'
import { createOutage, StorageError } from '../storage/problem.ts'
import type { Store } from '../storage/store.ts'
import type { Redact } from './audit/argument-record.ts'
import {
  type Attempt,
  type AuditRecord,
  type IntendedCall,
  type NotedAttempt,
  noteAttempt,
  recordOf,
  toSearchRecord,
  toStartedRecord,
} from './audit/audit-record.ts'
import { createHashKey } from './audit/hash-key.ts'
import type { KeyedHash } from './audit/keyed-hash.ts'
import { createRecordQueue } from './audit/record-queue.ts'

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
  /** Called once when the log becomes unwritable, not for each record, and later with the number of missing records. */
  onProblem?(reason: string): void
  /** Called with every record of a call, even if it cannot be written. */
  onRecord?(record: AuditRecord): void
}

export interface Audit {
  /**
   * Must be called before each tool call. Resolves with the failure to return if the call must not run. A lenient audit
   * returns undefined at once.
   */
  admit(intended: IntendedCall): Promise<FailureResult | undefined> | undefined
  /**
   * Must be called after every call that `admit` did not refuse, even a failed one. Never throws and never rejects. A
   * strict audit resolves when the line is written. A lenient audit writes the line a moment later, together with
   * others.
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
const MAX_ARGUMENT_BYTES = 16 * 1_024
/** If the log fails again and again, missing records are reported at most this often. */
const REPORT_EVERY_MS = 60_000

export function createAudit(options: AuditOptions): Audit {
  const { log, mode, values = false, store, now = Date.now, onRecord } = options
  const redact = guardRedact(options.redact)
  const report = (reason: string) => callListener(() => options.onProblem?.(reason))
  const writer = createRecordWriter(log, now, report)
  const hashKey = createHashKey({
    store,
    onProblem: report,
    onFull: () => writer.lose(new Error('The audit log waits for its key; records are lost')),
  })
  let appending: Promise<unknown> = Promise.resolve()
  const queue = createRecordQueue((records) => {
    appending = Promise.all([appending, writer.appendRecords(...records)])
  })

  const makeRecord = (noted: NotedAttempt, hash: KeyedHash): AuditRecord => {
    const record = recordOf(noted, { hash, redact, values, now })
    callListener(() => onRecord?.(record))
    return record
  }

  const queueRecord = (heldBytes: number, lineBytes: number, make: (hash: KeyedHash) => object) =>
    hashKey.whenLoaded(heldBytes, (hash) =>
      queue.add({ make: () => writer.makeOrReport(() => make(hash)), heldBytes, lineBytes }),
    )

  const writeNow = async (noted: NotedAttempt): Promise<void> => {
    const hash = await hashKey.load()
    const record = writer.makeOrReport(() => makeRecord(noted, hash))
    if (record !== undefined) await writer.appendRecords(record)
  }

  const admitStrictly: Audit['admit'] = async (intended) => {
    const isWritten = await writer.append(toStartedRecord(intended, { hash: await hashKey.load(), redact, now }))
    return isWritten ? undefined : fail('AUDIT_FAILED', { name: intended.tool })
  }

  return {
    admit: mode === 'strict' ? admitStrictly : () => undefined,
    record(attempt) {
      const noted = writer.makeOrReport(() => noteAttempt(attempt))
      if (noted === undefined) return undefined
      if (mode === 'strict') return writeNow(noted)
      queueRecord(noted.heldBytes, estimateLineBytes(noted, values), (hash) => makeRecord(noted, hash))
      return undefined
    },
    searched(search) {
      if (!values) return
      // The record is made later, so the time of the search is taken now.
      const at = now()
      const bytes = LINE_BYTES + search.query.length
      queueRecord(bytes, Math.min(bytes, MAX_ARGUMENT_BYTES), (hash) =>
        toSearchRecord(search, { hash, redact, now: () => at }),
      )
    },
    async [Symbol.asyncDispose]() {
      await hashKey.settle()
      queue.flush()
      await appending
      await writer.close()
    },
  }
}

/** The estimated length of the line. It has the keys of the arguments, and their values only if `values` is set. */
function estimateLineBytes({ sampled }: NotedAttempt, values: boolean): number {
  return LINE_BYTES + Math.min(values ? sampled.heldBytes : sampled.heldBytes / 8, MAX_ARGUMENT_BYTES)
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

/** Reports once when the log becomes unwritable, and later how many records are missing from it. */
function createRecordWriter(log: AppendLog, now: () => number, report: (reason: string) => void) {
  const outage = createOutage(({ message }) => report(message), now)
  /** The number of records that could not be written and are not reported yet. */
  let missing = 0
  let reportedAt = Number.NEGATIVE_INFINITY

  const reportOutage = (error: unknown): void => {
    const unknownProblem = { kind: 'unwritable', path: '', message: messageOf(error) } as const
    outage.failed(error instanceof StorageError ? error.problem : unknownProblem)
  }

  /** Reports the error like a failed write, and counts one record as missing. */
  const lose = (error: unknown): void => {
    missing += 1
    reportOutage(error)
  }

  const reportMissing = (suffix: string) => {
    if (missing === 0) return
    const records = missing === 1 ? '1 record is' : `${missing} records are`
    report(`${records} missing from the audit log${suffix}`)
    missing = 0
    reportedAt = now()
  }

  /** Resolves with true if all lines were written. Never rejects. */
  const append = async (...lines: readonly object[]): Promise<boolean> => {
    try {
      await log.append(...lines)
      outage.worked()
      if (now() - reportedAt >= REPORT_EVERY_MS) reportMissing('; the log is writable again')
      return true
    } catch (error) {
      reportOutage(error)
      return false
    }
  }

  return {
    append,
    /** Appends records of calls and searches. Those that cannot be written count as missing. Never rejects. */
    async appendRecords(...records: readonly object[]): Promise<void> {
      if (!(await append(...records))) missing += records.length
    },
    /** Returns what `make` returns. If `make` throws, the record is missing, and the result is undefined. */
    makeOrReport<T>(make: () => T): T | undefined {
      try {
        return make()
      } catch (error) {
        lose(error)
        return undefined
      }
    },
    lose,
    /** Reports missing records that are not reported yet, and closes the log. */
    async close(): Promise<void> {
      reportMissing('')
      await log[Symbol.asyncDispose]()
    },
  }
}
