// Opens the audit of a gateway: a file and, if `audit.stream` is set, also the log in the store that gateways share.

import type { Config } from '../config/config.ts'
import { type Audit, type AuditOptions, createAudit } from '../dispatch/audit.ts'
import { createAppendLog } from '../storage/append-log.ts'
import type { Store } from '../storage/store.ts'

interface OpenAuditOptions extends Pick<AuditOptions, 'redact' | 'onProblem' | 'onRecord'> {
  readonly config: Pick<Config, 'audit' | 'limits'>
  readonly file: string
  readonly store: Store
}

/** The default of `limits.maxAuditBytes`. */
export const MAX_AUDIT_BYTES = 10 * 1024 * 1024

export async function openAudit({ config, file, store, ...rest }: OpenAuditOptions): Promise<Audit> {
  const { stream, mode, values } = config.audit
  const log = createAppendLog({
    file,
    maxBytes: config.limits.maxAuditBytes ?? MAX_AUDIT_BYTES,
    // With `strict`, a failed write throws, so that the audit can report the missing records.
    strict: true,
  })
  return createAudit({
    log: stream ? (await import('./audit-stream.ts')).withStream(log, store) : log,
    mode,
    values,
    store,
    ...rest,
  })
}
