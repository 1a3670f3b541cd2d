// The store of `createMcpServer` or `wrapServer`: a store that the author has opened, or one that the server opens.

import { basename, join } from 'node:path'
import { expecting } from '../core/check-fields.ts'
import { isRecord } from '../core/is-record.ts'
import { entryName } from '../storage/entry-file.ts'
import { storeOpener } from '../storage/open-stores.ts'
import { cacheDir, homeFolder, type PathEnv, stateDir } from '../storage/paths.ts'
import type { OnProblem } from '../storage/problem.ts'
import { isStorePlugin, type Store, type StorePlugin } from '../storage/store.ts'

interface ServerStore {
  readonly store: Store
  /** Rejects if the store cannot work, for example with a wrong password. */
  check(): Promise<void>
  /** Closes a store that the server has opened. A store of the author stays open. */
  close(): Promise<void>
}

/** The environment of this process. No other file in front/ reads `process.env`. */
export function processEnvironment(): PathEnv {
  return { home: homeFolder(), platform: process.platform, env: process.env }
}

export const storeCheck = expecting(
  'a store or the result of defineStore()',
  (value) => isStore(value) || isStorePlugin(value),
)

interface ServerStoreOptions {
  /** The name of the server: each server has its own folder. */
  readonly server: string
  /** The folder of the store depends on it. */
  readonly environment: PathEnv
  readonly onProblem: OnProblem
}

export function openServerStore(
  given: Store | StorePlugin,
  { server, environment, onProblem }: ServerStoreOptions,
): ServerStore {
  if (isStore(given)) return { store: given, check: async () => {}, close: async () => {} }
  const folderIn = (dir: string) => join(dir, 'servers', basename(entryName(server), '.json'))
  const folders = { stateDir: folderIn(stateDir(environment)), cacheDir: folderIn(cacheDir(environment)) }
  const open = storeOpener(given, folders, onProblem)
  const store = reopened(() => open('state'))
  return { store, check: async () => given.check?.(), close: () => store[Symbol.asyncDispose]() }
}

/**
 * A store that is opened at its first use, and again after it was closed: a server can start again after `stop`.
 * Listeners of `watch` get no changes from the store that is opened later.
 */
function reopened(open: () => Store): Store {
  let opened: Store | undefined
  const close = async () => {
    const closing = opened
    opened = undefined
    await closing?.[Symbol.asyncDispose]()
  }
  // The target stays empty: every field is read from the opened store.
  return new Proxy({} as Store, {
    get(_target, key) {
      if (key === Symbol.asyncDispose) return close
      opened ??= open()
      const value: unknown = Reflect.get(opened, key)
      return typeof value === 'function' ? value.bind(opened) : value
    },
  })
}

function isStore(value: unknown): value is Store {
  return isRecord(value) && typeof value.get === 'function'
}
