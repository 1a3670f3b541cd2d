// The audit log: one line per attempt to call a tool, in strict mode also one before the attempt.

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { fail } from '../core/errors.ts'
import { attempt as callListener } from '../core/listeners.ts'
import type { FailureResult } from '../core/result.ts'
import { messageOf } from '../core/text.ts'
import type { AppendLog } from '../storage/append-log.ts'
import { createOutage } from '../storage/outage.ts'
import { StorageError } from '../storage/problem.ts'
import { loadSharedKey } from '../storage/shared-key.ts'
import type { Store } from '../storage/store.ts'
import {
  type Attempt,
  type AuditRecord,
  type NotedAttempt,
  noteAttempt,
  recordOf,
  toRecord,
  toSearch,
  toStarted,
} from './audit/audit-record.ts'
import { createRecordQueue } from './audit/record-queue.ts'
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
  /** Called for every record of a call, also if the record cannot be written. */
  onRecord?(record: AuditRecord): void
}

export interface Audit {
  /**
   * Must be called before each tool call. Resolves with the failure to return if the call must not run. A lenient audit
   * returns undefined at once.
   */
  admit(
    intended?: Pick<Attempt, 'caller' | 'server' | 'tool' | 'traceId'>,
  ): Promise<FailureResult | undefined> | undefined
  /**
   * Must be called after every tool call, also a failed one. Never throws and never rejects. A strict audit resolves
   * when the line is written. A lenient audit writes the line within 50 ms, together with others.
   */
  record(attempt: Attempt): Promise<void> | undefined
  /** Records a search for tools, with its query. Does nothing unless `values` is set. Never throws. */
  searched(search: Pick<Attempt, 'caller'> & { readonly query: string }): void
  /** Resolves when every line is written. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The limits for the records that wait until the key is loaded. */
const MAX_WAITING = 10_000
const MAX_WAITING_BYTES = 64 * 1_024 * 1_024
/** The estimated length of a line without arguments, and the maximum that its arguments add. */
const LINE_BYTES = 320
const MAX_LINE_BYTES = 16 * 1_024

const REPORT_EVERY_MS = 60_000

export function createAudit(options: AuditOptions): Audit {
  const { log, mode, values = false, store, now = Date.now, onProblem, onRecord } = options
  const redact = guardRedact(options.redact)
  const outage = createOutage(({ message }) => callListener(() => onProblem?.(message)), now)
  let key: KeyObject | undefined
  let loading: Promise<KeyObject> | undefined
  let waiting = 0
  let waitingBytes = 0
  let appending: Promise<unknown> = Promise.resolve()
  /** The number of records that could not be written and are not reported yet. */
  let dropped = 0
  let reportedAt = Number.NEGATIVE_INFINITY

  const loadKey = () => {
    const bytes = () =>
      store === undefined ? randomBytes(32) : loadAuditKey(store, (reason) => callListener(() => onProblem?.(reason)))
    loading ??= Promise.resolve(bytes()).then(createSecretKey)
    return loading
  }

  const reportOutage = (error: unknown): void => {
    const unknownProblem = { kind: 'unwritable', path: '', message: messageOf(error) } as const
    outage.failed(error instanceof StorageError ? error.problem : unknownProblem)
  }

  const reportDropped = (suffix: string) => {
    if (dropped === 0) return
    const records = dropped === 1 ? '1 record of a call is' : `${dropped} records of calls are`
    callListener(() => onProblem?.(`${records} missing in the audit log${suffix}`))
    dropped = 0
    reportedAt = now()
  }

  /** Resolves with true if all lines were written. */
  const append = async (...lines: readonly object[]): Promise<boolean> => {
    try {
      await log.append(...lines)
      outage.worked()
      // If the log fails again and again, missing records are reported at most once a minute. Each report counts all
      // records since the last one.
      if (now() - reportedAt >= REPORT_EVERY_MS) reportDropped('; it can be written again')
      return true
    } catch (error) {
      reportOutage(error)
      return false
    }
  }

  const makeOrReport = <T>(make: () => T): T | undefined => {
    try {
      return make()
    } catch (error) {
      reportOutage(error)
      return undefined
    }
  }

  const announce = (record: AuditRecord): AuditRecord => {
    callListener(() => onRecord?.(record))
    return record
  }

  const appendRecords = async (...records: readonly object[]): Promise<void> => {
    if (!(await append(...records))) dropped += records.length
  }

  const queue = createRecordQueue((records) => {
    appending = Promise.all([appending, appendRecords(...records)])
  })

  /** Keeps the order of records: once a record waits for the key, later records wait too. */
  const withKey = <T>(heldBytes: number, use: (key: KeyObject) => T): T | Promise<T> | undefined => {
    if (key !== undefined && waiting === 0) return use(key)
    if (waiting >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES)
      return void reportOutage(new Error('The audit log waits for its key; records are lost'))
    waiting += 1
    waitingBytes += heldBytes
    return loadKey().then((loaded) => {
      key = loaded
      waiting -= 1
      waitingBytes -= heldBytes
      return use(loaded)
    })
  }

  const queueRecord = (heldBytes: number, lineBytes: number, make: (key: KeyObject) => object) =>
    void withKey(heldBytes, (loadedKey) =>
      queue.add({ make: () => makeOrReport(() => make(loadedKey)), heldBytes, lineBytes }),
    )

  const writeNow = async (attempt: Attempt): Promise<void> => {
    await withKey(0, async (loadedKey) => {
      const record = makeOrReport(() => announce(toRecord(attempt, { key: loadedKey, redact, values, now })))
      if (record !== undefined) await appendRecords(record)
    })
  }

  const close = async () => {
    await loading
    queue.flush()
    await appending
    reportDropped('')
    await log[Symbol.asyncDispose]()
  }

  const admitStrictly: Audit['admit'] = async (intended) => {
    const isWritten = await append(toStarted(intended, { key: await loadKey(), redact, now }))
    return isWritten ? undefined : fail('AUDIT_FAILED', { name: intended?.tool ?? 'the tool' })
  }

  return {
    admit: mode === 'strict' ? admitStrictly : () => undefined,
    record(attempt) {
      if (mode === 'strict') return writeNow(attempt)
      const noted = makeOrReport(() => noteAttempt(attempt))
      if (noted === undefined) return undefined
      const { heldBytes } = noted
      queueRecord(heldBytes, lineBytes(noted, values), (loadedKey) =>
        announce(recordOf(noted, { key: loadedKey, redact, values, now })),
      )
      return undefined
    },
    searched(search) {
      if (!values) return
      // The record is made later, so the time of the search is taken now.
      const at = now()
      const bytes = LINE_BYTES + search.query.length
      queueRecord(bytes, Math.min(bytes, MAX_LINE_BYTES), (loadedKey) =>
        toSearch(search, { key: loadedKey, redact, now: () => at }),
      )
    },
    close,
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

/** The secret key for hashes. Never rejects: if the store fails, the key is valid for this process only. */
export function loadAuditKey(store: Store, onProblem?: (reason: string) => void): Promise<Uint8Array> {
  return loadSharedKey(store, 'audit-key', () =>
    onProblem?.('the key of the audit log was written by another version of Toolcrib; a new key is used'),
  )
}
