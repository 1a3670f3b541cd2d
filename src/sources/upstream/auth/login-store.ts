// Stores the logins of this user: one file per server, issuer and principal. Only this user can read the files.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type {
  OAuthDiscoveryState,
  OAuthTokens,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { Optional } from '../../../core/call.ts'
import { isRecord } from '../../../core/is-record.ts'
import { createFileStore } from '../../../storage/file.ts'
import { withLock } from '../../../storage/file-lock.ts'
import { makeFolder } from '../../../storage/make-folder.ts'
import type { OnProblem } from '../../../storage/problem.ts'

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
  /** The resource indicator of the tokens. */
  readonly resource?: string
  readonly discovery: OAuthDiscoveryState
  /** Scopes that the server has asked for since the last login. */
  readonly wantedScope?: string
  readonly savedAt: number
}

export interface LoginStore {
  /** The newest login of the server that has tokens, with any issuer. If none has tokens, the newest login. */
  find(target: LoginTarget): Promise<Login | undefined>
  /** The login of the server with this issuer. */
  read(target: LoginTarget, issuer: string): Promise<Login | undefined>
  save(login: Login): Promise<void>
  /** Saves the login, and removes the other logins of the server. */
  replace(login: Login): Promise<void>
  /** Removes all logins of the server, and returns them. */
  remove(target: LoginTarget): Promise<readonly Login[]>
  /** Runs the work while no other process changes the logins of the server. */
  exclusively<T>(target: LoginTarget, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

interface LoginStoreOptions {
  readonly stateDir: string
  readonly onProblem?: OnProblem
  /** How long to wait for another process that renews the same login. */
  readonly lockWaitMs?: number
}

/** Longer than a renewal can take. */
const LOCK_WAIT_MS = 45_000

export function createLoginStore({ stateDir, onProblem, lockWaitMs = LOCK_WAIT_MS }: LoginStoreOptions): LoginStore {
  const dir = join(stateDir, 'logins')
  const store = createFileStore({ dir, ...(onProblem === undefined ? {} : { onProblem }) })

  const findAll = async (target: LoginTarget): Promise<readonly (readonly [string, Login])[]> => {
    const found: (readonly [string, Login])[] = []
    for await (const key of store.keys(prefixOf(target))) {
      const login = readLogin(await store.get(key), target)
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
      const found = await findAll(target)
      for (const [key] of found) await store.delete(key)
      return found.map(([, login]) => login)
    },
    async exclusively(target, signal, work) {
      await makeFolder(dir)
      const lock = join(dir, `${hashOf([target.principal, target.server, target.url])}.lock`)
      return withLock(lock, { waitMs: lockWaitMs, signal }, work)
    },
  }
}

/** Prefers a login with tokens, because the server may have moved to another issuer and back. */
export function newestOf(logins: readonly Login[]): Login | undefined {
  return logins.toSorted(
    (a, b) => Number(b.tokens !== undefined) - Number(a.tokens !== undefined) || b.savedAt - a.savedAt,
  )[0]
}

function prefixOf({ principal, server, url }: LoginTarget): string {
  return `login:${hashOf([principal, server, url])}:`
}

function keyOf(target: LoginTarget, issuer: string): string {
  return `${prefixOf(target)}${hashOf([issuer])}`
}

/** The parts are hashed: the result is part of a file name, and a URL can contain a password. */
export function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** Undefined for an entry that another version has written, or that was changed by hand. */
export function readLogin(stored: unknown, { server, url, principal }: LoginTarget): Login | undefined {
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
