// Opens the logins at servers: files of this user, or encrypted entries in the store that gateways share.

import { STORE_KEY_VARIABLE } from '../config/store-setting.ts'
import type { LoginStore } from '../sources/upstream/auth/login-store.ts'
import type { StorageProblem } from '../storage/problem.ts'
import type { Store, StorePart } from '../storage/store.ts'

interface OpenLoginsOptions {
  readonly stateDir: string
  /** The key that encrypts shared logins. Without it, or without a shared store, logins are files on each machine. */
  readonly key: Buffer | undefined
  openStore(part: StorePart): Store
  onProblem(problem: Pick<StorageProblem, 'message'>): void
}

export interface OpenLogins extends AsyncDisposable {
  readonly logins: LoginStore
  /** True if all gateways with the same store use these logins. */
  readonly isShared: boolean
}

export const NOT_SHARED = `logins at servers are kept on this machine only; to share them, set ${STORE_KEY_VARIABLE} to the same key on all gateways`

export async function openLogins({ stateDir, key, openStore, onProblem }: OpenLoginsOptions): Promise<OpenLogins> {
  const store = key === undefined ? undefined : openStore('logins')
  if (store?.isShared === true && key !== undefined) {
    const { createSharedLogins } = await import('../sources/upstream/auth/login-store.ts')
    const { sealStore } = await import('../storage/sealed-store.ts')
    const sealed = sealStore(store, key, (message) => onProblem({ message }))
    return { logins: createSharedLogins(sealed), isShared: true, [Symbol.asyncDispose]: sealed[Symbol.asyncDispose] }
  }
  await store?.[Symbol.asyncDispose]()
  const { createLoginStore } = await import('../sources/upstream/auth/login-store.ts')
  return { logins: createLoginStore({ stateDir, onProblem }), isShared: false, [Symbol.asyncDispose]: async () => {} }
}
