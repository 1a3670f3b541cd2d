// The audit log: one line per attempt to call a tool, with the shape of its arguments and never their values unless asked.

import { randomBytes } from 'node:crypto'
import { fail } from '../core/errors.ts'
import { attempt as tell } from '../core/listeners.ts'
import type { FailureResult } from '../core/result.ts'
import { messageOf } from '../core/text.ts'
import type { AppendLog } from '../storage/append-log.ts'
import { createOutage } from '../storage/outage.ts'
import { StorageError } from '../storage/problem.ts'
import type { Store } from '../storage/store.ts'
import { loadAuditKey } from './audit/audit-key.ts'
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
import { createGather } from './audit/gather.ts'
import type { Redact } from './audit/redacted-text.ts'

export type { Attempt, AuditRecord } from './audit/audit-record.ts'

export interface AuditOptions {
  /** Closed with the audit. Make it `strict`: otherwise what it cannot write is known to it alone. */
  readonly log: AppendLog
  /** `strict`: a call runs only after the log has taken a line that says it starts. */
  readonly mode: 'lenient' | 'strict'
  /** Arguments as they are, beside their shape. */
  readonly values?: boolean | undefined
  /** Takes the secrets that are known out of a text. */
  readonly redact?: Redact
  /** Keeps the key of the hashes; without it, equal arguments are known again by this process alone. */
  readonly store?: Store
  readonly now?: () => number
  /** Called when the log cannot be written any more, not for each line that is lost. */
  onProblem?(reason: string): void
  /** Told of every record, whether or not it could be written. */
  onRecord?(record: AuditRecord): void
}

export interface Audit {
  /** Before a call: why it must not run, or undefined. A lenient audit has nothing to wait for. */
  admit(
    intended?: Pick<Attempt, 'caller' | 'server' | 'tool' | 'traceId'>,
  ): Promise<FailureResult | undefined> | undefined
  /**
   * After it, in every case. Never throws and never rejects. Strict, it resolves when the line is written; lenient, the
   * line is written with others at most 50 ms later.
   */
  record(attempt: Attempt): Promise<void> | undefined
  /** Somebody looked for tools: a line with their words where values are asked for, else nothing. Never throws. */
  searched(search: Pick<Attempt, 'caller'> & { readonly query: string }): void
  /** Everything is written when it resolves. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Attempts that wait for the key at the start. */
const MAX_WAITING = 10_000
const MAX_WAITING_BYTES = 64 * 1_024 * 1_024
/** The length of a line without arguments, and of a line with the most arguments that are shown. */
const LINE_BYTES = 320
const MAX_LINE_BYTES = 16 * 1_024

export function createAudit(options: AuditOptions): Audit {
  const { log, mode, values = false, store, now = Date.now, onProblem, onRecord } = options
  const redact = guarded(options.redact)
  const outage = createOutage(({ message }) => tell(() => onProblem?.(message)), now)
  let key: Uint8Array | undefined
  let loading: Promise<Uint8Array> | undefined
  let waiting = 0
  let waitingBytes = 0
  let handed: Promise<unknown> = Promise.resolve()

  const loadKey = () => {
    loading ??= store === undefined ? Promise.resolve(randomBytes(32)) : loadAuditKey(store)
    return loading
  }

  const lost = (error: unknown): void => {
    const unknown = { kind: 'unwritable', path: '', message: messageOf(error) } as const
    outage.failed(error instanceof StorageError ? error.problem : unknown)
  }

  /** Whether all of them are in the file. */
  const append = async (...lines: readonly object[]): Promise<boolean> => {
    try {
      await log.append(...lines)
      outage.worked()
      return true
    } catch (error) {
      lost(error)
      return false
    }
  }

  const attempted = <T>(make: () => T): T | undefined => {
    try {
      return make()
    } catch (error) {
      lost(error)
      return undefined
    }
  }

  const told = (record: AuditRecord): AuditRecord => {
    tell(() => onRecord?.(record))
    return record
  }

  const gather = createGather((records) => {
    handed = Promise.all([handed, append(...records)])
  })

  /** In the order in which they came: once one has waited for the key, those after it wait too. */
  const withKey = <T>(heldBytes: number, use: (key: Uint8Array) => T): T | Promise<T> | undefined => {
    if (key !== undefined && waiting === 0) return use(key)
    if (waiting >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES)
      return void lost(new Error('The audit log waits for its key; records are lost'))
    waiting += 1
    waitingBytes += heldBytes
    return loadKey().then((loaded) => {
      key = loaded
      waiting -= 1
      waitingBytes -= heldBytes
      return use(loaded)
    })
  }

  const later = (heldBytes: number, lineBytes: number, make: (key: Uint8Array) => object) =>
    void withKey(heldBytes, (known) => gather.add({ make: () => attempted(() => make(known)), heldBytes, lineBytes }))

  const writeAtOnce = async (attempt: Attempt): Promise<void> => {
    await withKey(0, async (known) => {
      const record = attempted(() => told(toRecord(attempt, { key: known, redact, values, now })))
      if (record !== undefined) await append(record)
    })
  }

  const close = async () => {
    await loading
    gather.flush()
    await handed
    await log[Symbol.asyncDispose]()
  }

  const admitStrictly: Audit['admit'] = async (intended) => {
    const isWritten = await append(toStarted(intended, { key: await loadKey(), redact, now }))
    return isWritten ? undefined : fail('AUDIT_FAILED', { name: intended?.tool ?? 'the tool' })
  }

  return {
    admit: mode === 'strict' ? admitStrictly : () => undefined,
    record(attempt) {
      if (mode === 'strict') return writeAtOnce(attempt)
      const noted = attempted(() => noteAttempt(attempt))
      if (noted === undefined) return undefined
      const { heldBytes } = noted
      later(heldBytes, lineBytes(noted, values), (known) => told(recordOf(noted, { key: known, redact, values, now })))
      return undefined
    },
    searched(search) {
      if (!values) return
      // The time of the search, not that of its record.
      const at = now()
      const bytes = LINE_BYTES + search.query.length
      later(bytes, Math.min(bytes, MAX_LINE_BYTES), (known) => toSearch(search, { key: known, redact, now: () => at }))
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** About how long the line is: of the arguments it shows the keys, and the values where those are asked for. */
function lineBytes({ sampled }: NotedAttempt, values: boolean): number {
  return LINE_BYTES + Math.min(values ? sampled.heldBytes : sampled.heldBytes / 8, MAX_LINE_BYTES)
}

/** What may hold a secret is not shown where nobody can tell. */
function guarded(redact: Redact = (text) => text): Redact {
  return (text) => {
    try {
      return redact(text)
    } catch {
      return '<cannot be redacted>'
    }
  }
}
