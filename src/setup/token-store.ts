// Opens the store with the tokens of clients, of the kind that the config names.

import type { LoadedConfig } from '../config/load/load.ts'
import { storeSetting } from '../config/store-setting.ts'
import { chooseStore, storeOpener } from '../storage/open-stores.ts'
import type { Store } from '../storage/store.ts'
import type { Environment } from './environment.ts'

export function openTokenStore(
  { stateDir, cacheDir }: Pick<Environment, 'stateDir' | 'cacheDir'>,
  loaded: LoadedConfig,
  onProblem: (message: string) => void,
): Store {
  const kind = chooseStore(storeSetting(loaded), loaded.config.plugins?.stores)
  return storeOpener(kind, { stateDir, cacheDir }, ({ message }) => onProblem(message))('tokens')
}
