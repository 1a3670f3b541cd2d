// Opens the logins at servers and the tokens of clients. The config chooses the store that contains them.

import type { LoadedConfig } from '../config/load/load.ts'
import { storeKey, storeOf } from '../config/store-setting.ts'
import { type OpenLogins, openLogins } from '../crib/open-logins.ts'
import { storeOpener } from '../storage/open-stores.ts'
import type { OnProblem } from '../storage/problem.ts'
import type { Store } from '../storage/store.ts'
import type { Environment } from './environment.ts'

type StoreFolders = Pick<Environment, 'stateDir' | 'cacheDir'>

export async function openLoginsOf(
  folders: StoreFolders,
  loaded: LoadedConfig,
  onProblem: (message: string) => void,
): Promise<OpenLogins> {
  const report: OnProblem = ({ message }) => onProblem(message)
  const openStore = openerOf(folders, loaded, report)
  return openLogins({ stateDir: folders.stateDir, key: storeKey(loaded.variables), openStore, onProblem: report })
}

export function openTokenStore(folders: StoreFolders, loaded: LoadedConfig, onProblem: OnProblem): Store {
  return openerOf(folders, loaded, onProblem)('tokens')
}

function openerOf({ stateDir, cacheDir }: StoreFolders, loaded: LoadedConfig, onProblem: OnProblem) {
  return storeOpener(storeOf(loaded), { stateDir, cacheDir }, onProblem)
}
