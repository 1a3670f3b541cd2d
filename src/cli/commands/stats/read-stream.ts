// Reads the audit records of all gateways from the store that they share.

import type { LoadedConfig } from '../../../config/load/load.ts'
import { storeSetting } from '../../../config/store-setting.ts'
import { AUDIT_LOG } from '../../../crib/audit-stream.ts'
import type { Environment } from '../../../setup/environment.ts'
import { chooseStore, storeOpener } from '../../../storage/open-stores.ts'

export async function* readStream(loaded: LoadedConfig, environment: Environment): AsyncGenerator<unknown> {
  const kind = chooseStore(storeSetting(loaded), loaded.config.plugins?.stores)
  await using store = storeOpener(kind, environment)('state')
  for await (const line of store.readLog?.(AUDIT_LOG) ?? []) {
    try {
      yield JSON.parse(line)
    } catch {
      // Another program wrote this line.
    }
  }
}
