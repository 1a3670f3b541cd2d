// Reads the records of a log, one at a time: from a file and its older part, or from a shared store.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { LoadedConfig } from '../../config/load/load.ts'
import { storeOf } from '../../config/store-setting.ts'
import { raise } from '../../core/errors.ts'
import { parseJson } from '../../core/json.ts'
import { isAbsent, messageOf } from '../../core/text.ts'
import { AUDIT_LOG } from '../../crib/audit-stream.ts'
import type { Environment } from '../../setup/environment.ts'
import { storeOpener } from '../../storage/open-stores.ts'

/**
 * Reads `FILE.1`, the older part, before the file. Skips lines that are not JSON: a crash may have cut a line. Throws if
 * a file exists and cannot be read.
 */
export async function* readLog(file: string): AsyncGenerator<unknown> {
  for (const one of [`${file}.1`, file]) {
    const stream = createReadStream(one, 'utf8')
    try {
      for await (const line of createInterface({ input: stream })) {
        const value = parseJson(line)
        if (value !== undefined) yield value
      }
    } catch (error) {
      // A missing file has no records.
      if (isAbsent(error)) continue
      raise('INVALID_OPTIONS', {
        what: `log ${one}`,
        reason: `it cannot be read: ${messageOf(error)}`,
        todo: 'Make the file readable for this user, or remove it.',
      })
    } finally {
      stream.destroy()
    }
  }
}

/** Reads the audit records of all gateways from the store that they share. */
export async function* readAuditStream(loaded: LoadedConfig, environment: Environment): AsyncGenerator<unknown> {
  await using store = storeOpener(storeOf(loaded), environment)('state')
  for await (const line of store.readLog?.(AUDIT_LOG) ?? []) {
    // Another program may have written a line that is not JSON.
    const value = parseJson(line)
    if (value !== undefined) yield value
  }
}
