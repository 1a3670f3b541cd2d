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
import { type Attempt, type AuditRecord, toRecord, toSearch, toStarted } from './audit/audit-record.ts'
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
  /** Before a call: why it must not run, or undefined. */
  admit(intended?: Pick<Attempt, 'caller' | 'server' | 'tool' | 'traceId'>): Promise<FailureResult | undefined>
  /** After it, in every case. Never throws and never rejects; strict, it resolves when the line is written. */
  record(attempt: Attempt): Promise<void> | undefined
  /** Somebody looked for tools: a line with their words where values are asked for, else nothing. Never throws. */
  searched(search: Pick<Attempt, 'caller'> & { readonly query: string }): void
  /** Everything is written when it resolves. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Attempts that wait for the key at the start. */
const MAX_WAITING = 10_000

export function createAudit(options: AuditOptions): Audit {
  const { log, mode, values = false, store, now = Date.now, onProblem, onRecord } = options
  const redact = guarded(options.redact)
  const outage = createOutage(({ message }) => tell(() => onProblem?.(message)), now)
  let loading: Promise<Uint8Array> | undefined
  let waiting = 0

  const loadKey = () => {
    loading ??= store === undefined ? Promise.resolve(randomBytes(32)) : loadAuditKey(store)
    return loading
  }

  const lost = (error: unknown): void => {
    const unknown = { kind: 'unwritable', path: '', message: messageOf(error) } as const
    outage.failed(error instanceof StorageError ? error.problem : unknown)
  }

  /** Whether it is in the file. */
  const append = async (line: object): Promise<boolean> => {
    try {
      await log.append(line)
      outage.worked()
      return true
    } catch (error) {
      lost(error)
      return false
    }
  }

  const write = async (attempt: Attempt, key: Uint8Array): Promise<void> => {
    try {
      const record = toRecord(attempt, { key, redact, values, now })
      tell(() => onRecord?.(record))
      await append(record)
    } catch (error) {
      lost(error)
    }
  }

  /** All wait for the same promise, and so go on in the order in which they came. */
  const withKey = (use: (key: Uint8Array) => Promise<void>): Promise<void> | undefined => {
    if (waiting >= MAX_WAITING) return void lost(new Error('The audit log waits for its key; records are lost'))
    waiting += 1
    return loadKey().then((key) => {
      waiting -= 1
      return use(key)
    })
  }

  const close = async () => {
    await loading
    await log[Symbol.asyncDispose]()
  }

  return {
    async admit(intended) {
      if (mode === 'lenient') return undefined
      const isWritten = await append(toStarted(intended, { key: await loadKey(), redact, now }))
      return isWritten ? undefined : fail('AUDIT_FAILED', { name: intended?.tool ?? 'the tool' })
    },
    record(attempt) {
      const written = withKey((key) => write(attempt, key))
      return mode === 'strict' ? written : undefined
    },
    searched(search) {
      if (values) void withKey(async (key) => void (await append(toSearch(search, { key, redact, now }))))
    },
    close,
    [Symbol.asyncDispose]: close,
  }
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
