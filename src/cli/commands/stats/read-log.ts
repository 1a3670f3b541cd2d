// Reads the records of a log, one at a time: of a file and its previous generation, or of a shared store.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { LoadedConfig } from '../../../config/load/load.ts'
import { storeSetting } from '../../../config/store-setting.ts'
import { AUDIT_LOG } from '../../../crib/audit-stream.ts'
import type { Environment } from '../../../setup/environment.ts'
import { chooseStore, storeOpener } from '../../../storage/open-stores.ts'

/** Skips lines that are not JSON: a crash may have cut a line. */
export async function* readLog(file: string): AsyncGenerator<unknown> {
  for (const one of [`${file}.1`, file]) {
    const stream = createReadStream(one, 'utf8')
    try {
      for await (const line of createInterface({ input: stream })) {
        const value = parsed(line)
        if (value !== undefined) yield value
      }
    } catch {
      // A missing file has no records.
    } finally {
      stream.destroy()
    }
  }
}

/** Reads the audit records of all gateways from the store that they share. */
export async function* readStream(loaded: LoadedConfig, environment: Environment): AsyncGenerator<unknown> {
  const kind = chooseStore(storeSetting(loaded), loaded.config.plugins?.stores)
  await using store = storeOpener(kind, environment)('state')
  for await (const line of store.readLog?.(AUDIT_LOG) ?? []) {
    // Another program may have written a line that is not JSON.
    const value = parsed(line)
    if (value !== undefined) yield value
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
