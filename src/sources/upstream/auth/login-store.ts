// Stores logins: in files that only this user can read, or encrypted in the store that several gateways share.

import { join } from 'node:path'
import type {
  OAuthDiscoveryState,
  OAuthTokens,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { RemoteConnection } from '../../../config/server-config.ts'
import type { Optional } from '../../../core/call.ts'
import { defined } from '../../../core/defined.ts'
import { stableHash } from '../../../core/hash.ts'
import { isRecord } from '../../../core/is-record.ts'
import { createFileStore } from '../../../storage/file.ts'
import { withLock } from '../../../storage/file-lock.ts'
import { makeFolder } from '../../../storage/make-folder.ts'
import type { OnProblem } from '../../../storage/problem.ts'
import type { SealedStore } from '../../../storage/sealed-store.ts'
import type { LoginOwner } from './person.ts'

/** The server and the owner of a login. A server under the same name with another address is another server. */
export interface LoginTarget {
  readonly server: string
  readonly url: string
  readonly principal: string
}

export interface Login extends LoginTarget {
  /** The authorization server that issued the tokens. */
  readonly issuer: string
  /** The id of the client that the tokens were issued to. */
  readonly clientId: string
  /** The client that was registered for this login. Absent for a client of the config. */
  readonly client?: StoredOAuthClientInformation
  /** Absent after the authorization server has refused them. */
  readonly tokens?: StoredOAuthTokens
  /** When the access token expires, by the clock of this machine. Absent if that is unknown. */
  readonly expiresAt?: number
  readonly resource?: string
  readonly discovery: OAuthDiscoveryState
  /** The scopes for the next login. Set when the server has required more scopes than this login has. */
  readonly wantedScope?: string
  readonly savedAt: number
}

export interface LoginStore {
  /** The newest of the logins that have tokens, of any issuer. If none has tokens, the newest login. */
  find(target: LoginTarget): Promise<Login | undefined>
  /** The login of the server with this issuer. */
  read(target: LoginTarget, issuer: string): Promise<Login | undefined>
  save(login: Login): Promise<void>
  /** Saves the login, and removes the other logins of the server. */
  replace(login: Login): Promise<void>
  /** Removes all logins of the server, and returns them. Rejects if a login may be left, because it cannot be read. */
  remove(target: LoginTarget): Promise<readonly Login[]>
  /** Runs the work while no other process changes the logins of the server. */
  exclusively<T>(target: LoginTarget, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** The server of a login, and the values that all functions for logins use. */
export interface LoginOptions {
  readonly server: string
  /** Default: the user who runs the gateway. */
  readonly owner?: LoginOwner | undefined
  /** With resolved references. */
  readonly connection: RemoteConnection
  readonly logins: LoginStore
  readonly now: () => number
  /** Ends the login and the requests for it. */
  readonly signal: AbortSignal
  /** Called with the values that must be removed from every text. */
  onSecrets(secrets: readonly string[]): void
}

interface LoginStoreOptions {
  readonly stateDir: string
  readonly onProblem?: OnProblem
}

/** How long to wait for another process that renews the same login. Longer than a renewal usually takes. */
const LOCK_WAIT_MS = 45_000

/** Logins in files, one per server, principal and issuer. */
export function createLoginStore({ stateDir, onProblem }: LoginStoreOptions): LoginStore {
  const dir = join(stateDir, 'logins')
  const store = createFileStore({ dir, ...defined({ onProblem }) })
  const prefixOf = (target: LoginTarget) => `login:${hashOf(target)}:`
  const keyOf = (target: LoginTarget, issuer: string) => `${prefixOf(target)}${stableHash([issuer])}`
  // By default, a login that cannot be read counts as missing, because most servers work without one.
  const findAll = async (target: LoginTarget, isStrict = false): Promise<readonly (readonly [string, Login])[]> => {
    const found: (readonly [string, Login])[] = []
    for await (const key of store.keys(prefixOf(target), { isStrict })) {
      const login = readLogin(await store.get(key, { isStrict }), target)
      if (login !== undefined) found.push([key, login])
    }
    return found
  }
  return {
    async find(target) {
      return newestOf((await findAll(target)).map(([, login]) => login))
    },
    read: async (target, issuer) => readLogin(await store.get(keyOf(target, issuer)), target),
    save: (login) => store.set(keyOf(login, login.issuer), login),
    async replace(login) {
      const kept = keyOf(login, login.issuer)
      await store.set(kept, login)
      for (const [key] of await findAll(login)) if (key !== kept) await store.delete(key)
    },
    async remove(target) {
      const found = await findAll(target, true)
      for (const [key] of found) await store.delete(key)
      return found.map(([, login]) => login)
    },
    async exclusively(target, signal, work) {
      await makeFolder(dir)
      return withLock(join(dir, `${hashOf(target)}.lock`), { waitMs: LOCK_WAIT_MS, signal }, work)
    },
  }
}

/** After this time the lock of a killed gateway expires. Each request to an authorization server ends after 15 s. */
const LOCK_TTL_MS = 90_000

/** Logins in a shared store, one entry per server and principal. */
export function createSharedLogins(store: SealedStore): LoginStore {
  const { lock } = store
  const keyOf = (target: LoginTarget) => `login/${hashOf(target)}`
  const findAll = async (target: LoginTarget): Promise<readonly Login[]> => {
    const stored = await store.get(keyOf(target))
    return isRecord(stored) ? Object.values(stored).flatMap((login) => readLogin(login, target) ?? []) : []
  }
  // Callers make all changes inside `exclusively`, so no other gateway changes an entry between a read and a write.
  const write = (target: LoginTarget, logins: readonly Login[]) =>
    store.set(keyOf(target), Object.fromEntries(logins.map((login) => [stableHash([login.issuer]), login])))
  // The lock is strict: two renewals with the same refresh token would end the login.
  const lockOptions = { waitMs: LOCK_WAIT_MS, ttlMs: LOCK_TTL_MS, isStrict: true }
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
      lock === undefined ? work() : lock(keyOf(target), { ...lockOptions, signal }, work),
  }
}

/** The server and the principal, hashed: the result is part of a file name, and a URL can contain a password. */
function hashOf({ principal, server, url }: LoginTarget): string {
  return stableHash([principal, server, url])
}

/** Prefers a login with tokens, because the server may have moved to another issuer and back. */
function newestOf(logins: readonly Login[]): Login | undefined {
  return logins.toSorted(
    (a, b) => Number(b.tokens !== undefined) - Number(a.tokens !== undefined) || b.savedAt - a.savedAt,
  )[0]
}

/** Undefined for an entry without the expected fields: another version has written it, or it was changed by hand. */
function readLogin(stored: unknown, { server, url, principal }: LoginTarget): Login | undefined {
  if (!isRecord(stored) || stored.server !== server || stored.url !== url || stored.principal !== principal) {
    return undefined
  }
  const { issuer, clientId, tokens, discovery, savedAt } = stored
  const isUsable =
    typeof issuer === 'string' &&
    typeof clientId === 'string' &&
    typeof savedAt === 'number' &&
    isRecord(discovery) &&
    typeof discovery.authorizationServerUrl === 'string' &&
    (tokens === undefined || (isRecord(tokens) && typeof tokens.access_token === 'string'))
  // `save` has written the entry, and the fields that are used have been checked.
  return isUsable ? (stored as unknown as Login) : undefined
}

/** The time at which an access token expires. The lifetime counts from now, so the clock of the server is not used. */
export function expiryOf({ expires_in: seconds }: StoredOAuthTokens, now: number): { expiresAt?: number } {
  return seconds === undefined ? {} : { expiresAt: now + seconds * 1_000 }
}

/** A token is renewed this long before it expires, but not in the first nine tenths of its lifetime. */
const RENEWAL_MARGIN_MS = 30_000

/** True if an access token that expires at this time has to be renewed. */
export function isRenewalDue(
  expiresAt: number,
  { expires_in: seconds = 0 }: Pick<OAuthTokens, 'expires_in'>,
  now: number,
): boolean {
  const tenthOfLifetimeMs = seconds * 100
  return now >= expiresAt - Math.min(RENEWAL_MARGIN_MS, tenthOfLifetimeMs)
}

/** The values of a login that must never appear in a text. */
export function secretsOfLogin({ tokens, client }: Optional<Pick<Login, 'tokens' | 'client'>>): readonly string[] {
  const registered: Readonly<Record<string, unknown>> = { ...client }
  const values: readonly unknown[] = [
    tokens?.access_token,
    tokens?.refresh_token,
    tokens?.id_token,
    client?.client_secret,
    registered.registration_access_token,
  ]
  return values.filter((value): value is string => typeof value === 'string' && value !== '')
}
