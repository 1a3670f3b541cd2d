// Appends lines to the audit log. Reports when the log becomes unwritable, and how many records are missing from it.

import { attempt as callListener } from '../../core/listeners.ts'
import { messageOf } from '../../core/text.ts'
import type { AppendLog } from '../../storage/append-log.ts'
import { createOutage, StorageError } from '../../storage/problem.ts'

interface RecordWriterOptions {
  readonly log: AppendLog
  readonly now: () => number
  /** Called once when the log becomes unwritable, not once per lost line, and later with the number of lost records. */
  readonly onProblem: ((reason: string) => void) | undefined
}

interface RecordWriter {
  /** Resolves with true if all lines were written. Never rejects. */
  append(...lines: readonly object[]): Promise<boolean>
  /** Appends records of calls. Those that cannot be written count as missing. Never rejects. */
  appendRecords(...records: readonly object[]): Promise<void>
  /** Returns what `make` returns. If `make` throws, reports the error like a failed write, and returns undefined. */
  makeOrReport<T>(make: () => T): T | undefined
  reportOutage(error: unknown): void
  /** Resolves after a last report of missing records, when the log is closed. */
  close(): Promise<void>
}

/** If the log fails again and again, missing records are reported at most this often. */
const REPORT_EVERY_MS = 60_000

export function createRecordWriter({ log, now, onProblem }: RecordWriterOptions): RecordWriter {
  const report = (reason: string) => callListener(() => onProblem?.(reason))
  const outage = createOutage(({ message }) => report(message), now)
  /** The number of records that could not be written and are not reported yet. */
  let missing = 0
  let reportedAt = Number.NEGATIVE_INFINITY

  const reportOutage = (error: unknown): void => {
    const unknownProblem = { kind: 'unwritable', path: '', message: messageOf(error) } as const
    outage.failed(error instanceof StorageError ? error.problem : unknownProblem)
  }

  const reportMissing = (suffix: string) => {
    if (missing === 0) return
    const records = missing === 1 ? '1 record of a call is' : `${missing} records of calls are`
    report(`${records} missing from the audit log${suffix}`)
    missing = 0
    reportedAt = now()
  }

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
    async appendRecords(...records) {
      if (!(await append(...records))) missing += records.length
    },
    makeOrReport(make) {
      try {
        return make()
      } catch (error) {
        reportOutage(error)
        return undefined
      }
    },
    reportOutage,
    async close() {
      reportMissing('')
      await log[Symbol.asyncDispose]()
    },
  }
}
