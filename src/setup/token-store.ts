// Opens the store for the tokens of clients. The config names its kind.

import type { LoadedConfig } from '../config/load/load.ts'
import { storeSetting } from '../config/store-setting.ts'
import { chooseStore, storeOpener } from '../storage/open-stores.ts'
import type { OnProblem } from '../storage/problem.ts'
import type { Store } from '../storage/store.ts'
import type { Environment } from './environment.ts'

export function openTokenStore(
  { stateDir, cacheDir }: Pick<Environment, 'stateDir' | 'cacheDir'>,
  loaded: LoadedConfig,
  onProblem: OnProblem,
): Store {
  const kind = chooseStore(storeSetting(loaded), loaded.config.plugins?.stores)
  return storeOpener(kind, { stateDir, cacheDir }, onProblem)('tokens')
}
