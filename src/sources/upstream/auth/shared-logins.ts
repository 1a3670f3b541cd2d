// Stores the logins in the store that several gateways share: one encrypted entry per server and principal.

import { isRecord } from '../../../core/is-record.ts'
import type { SealedStore } from '../../../storage/sealed-store.ts'
import { hashOf, type Login, type LoginStore, type LoginTarget, newestOf, readLogin } from './login-store.ts'

/**
 * Longer than a renewal can take. The lock is strict, so it rejects after this time: two renewals with the same refresh
 * token would end the login.
 */
const LOCK_WAIT_MS = 45_000
/** After this time the lock of a killed gateway expires. Each request to an authorization server ends after 15 s. */
const LOCK_TTL_MS = 90_000

export function createSharedLogins(store: SealedStore): LoginStore {
  const { lock } = store
  const findAll = async (target: LoginTarget): Promise<readonly Login[]> => {
    const stored = await store.get(keyOf(target))
    return isRecord(stored) ? Object.values(stored).flatMap((login) => readLogin(login, target) ?? []) : []
  }
  // Callers make all changes inside `exclusively`, so no other gateway changes an entry between a read and a write.
  const write = (target: LoginTarget, logins: readonly Login[]) =>
    store.set(keyOf(target), Object.fromEntries(logins.map((login) => [hashOf([login.issuer]), login])))
  return {
    find: async (target) => newestOf(await findAll(target)),
    read: async (target, issuer) => (await findAll(target)).find((login) => login.issuer === issuer),
    async save(login) {
      const others = (await findAll(login)).filter(({ issuer }) => issuer !== login.issuer)
      await write(login, [...others, login])
    },
    replace: (login) => write(login, [login]),
    async remove(target) {
      const found = await findAll(target)
      await store.delete(keyOf(target))
      return found
    },
    exclusively: (target, signal, work) =>
      lock === undefined
        ? work()
        : lock(keyOf(target), { waitMs: LOCK_WAIT_MS, ttlMs: LOCK_TTL_MS, isStrict: true, signal }, work),
  }
}

function keyOf({ principal, server, url }: LoginTarget): string {
  return `login/${hashOf([principal, server, url])}`
}
