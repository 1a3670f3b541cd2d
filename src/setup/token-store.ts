// Opens the store with the tokens of clients, of the kind that the config names.

import type { Config } from '../config/config.ts'
import { chooseStore, storeOpener } from '../storage/open-stores.ts'
import type { Store } from '../storage/store.ts'
import type { Environment } from './environment.ts'

export function openTokenStore(
  { stateDir, cacheDir }: Pick<Environment, 'stateDir' | 'cacheDir'>,
  { store, plugins }: Pick<Config, 'store' | 'plugins'>,
  onProblem: (message: string) => void,
): Store {
  const kind = chooseStore(store, plugins?.stores)
  return storeOpener(kind, { stateDir, cacheDir }, ({ message }) => onProblem(message))('tokens')
}
