// Opens the logins at servers for a command. A gateway with the same configuration uses the same logins.

import type { LoadedConfig } from '../config/load/load.ts'
import { storeKey, storeSetting } from '../config/store-setting.ts'
import { type OpenLogins, openLogins } from '../crib/open-logins.ts'
import { chooseStore, storeOpener } from '../storage/open-stores.ts'
import type { Environment } from './environment.ts'

export async function openLoginsOf(
  { stateDir, cacheDir }: Pick<Environment, 'stateDir' | 'cacheDir'>,
  loaded: LoadedConfig,
  onProblem: (message: string) => void,
): Promise<OpenLogins> {
  const kind = chooseStore(storeSetting(loaded), loaded.config.plugins?.stores)
  const report = ({ message }: { readonly message: string }) => onProblem(message)
  const openStore = storeOpener(kind, { stateDir, cacheDir }, report)
  return openLogins({ stateDir, key: storeKey(loaded.variables), openStore, onProblem: report })
}
