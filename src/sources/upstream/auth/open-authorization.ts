// Chooses the login of a server over HTTP, and checks whether the server can be used. Loaded only for such servers.

import { hasAuthorizationHeader, type RemoteConnection } from '../../../config/server-config.ts'
import { createBoundedFetch, type Fetch } from '../../../core/bounded-fetch.ts'
import { unlessAborted, withTimeout } from '../../../core/waiting.ts'
import { createAuthorizedFetch } from './authorized-fetch.ts'
import { sendFirstRequest } from './discover-login.ts'
import { AuthorizationFailed, loginRequiredIn } from './login-errors.ts'
import type { LoginOptions } from './login-store.ts'
import { createMachineLogin } from './machine-login.ts'
import { createLoginFetch, targetOf } from './server-address.ts'
import { createStoredLogin } from './stored-login.ts'

/** Returns a wrapper for the fetch of the connection. Undefined if the config has credentials or no valid address. */
export function openAuthorization(options: LoginOptions): ((inner: Fetch) => Fetch) | undefined {
  const { owner, connection, logins, signal, now, onSecrets } = options
  if (!URL.canParse(connection.url) || hasOwnAuthorization(connection)) return undefined
  const { auth } = connection
  const target = targetOf(options)
  const { url } = target
  const fetch = createLoginFetch(new URL(url), signal)
  const authorization =
    auth?.grant === 'client_credentials'
      ? createMachineLogin({ url, auth, fetch, now, onSecrets })
      : createStoredLogin({ target, owner, store: logins, auth, fetch, signal, now, onSecrets })
  return (inner) => createAuthorizedFetch(new URL(connection.url), authorization, inner)
}

/** True if the headers or the URL have credentials and `auth` is not set. Then no stored login is used. */
function hasOwnAuthorization(connection: RemoteConnection): boolean {
  const { username, password } = new URL(connection.url)
  const hasCredentials = username !== '' || password !== '' || hasAuthorizationHeader(connection)
  return connection.auth === undefined && hasCredentials
}

export type Access =
  /** The server answers, or the config or a stored login has the credentials for it, or its address is not a URL. */
  | 'usable'
  /** The server needs a login that does not exist or has expired. */
  | 'login'
  /** The server answers with HTTP 401 and describes no login, or the login with client credentials has failed. */
  | 'refused'
  /** The server cannot be reached or did not answer in time, and no login for it is stored. */
  | 'unreachable'

interface AccessCheck extends Pick<LoginOptions, 'server' | 'connection' | 'logins' | 'signal'> {
  readonly timeoutMs: number
}

const MAX_ANSWER_BYTES = 1024 * 1024

/** Checks whether this user can use a remote server now. Rejects only if the signal aborts. */
export async function checkAccess(check: AccessCheck): Promise<Access> {
  const { connection, logins, timeoutMs, signal } = check
  if (!URL.canParse(connection.url) || hasOwnAuthorization(connection)) return 'usable'
  try {
    return await withTimeout(timeoutMs, signal, (limited) => unlessAborted(request(check, limited), limited))
  } catch (error) {
    signal.throwIfAborted()
    if (loginRequiredIn(error) !== undefined) return 'login'
    // A login of the user does not replace the client credentials of the config.
    if (error instanceof AuthorizationFailed && connection.auth?.grant === 'client_credentials') return 'refused'
    return (await logins.find(targetOf(check)))?.tokens === undefined ? 'unreachable' : 'usable'
  }
}

async function request(check: AccessCheck, signal: AbortSignal): Promise<Access> {
  const { connection } = check
  const bounded = createBoundedFetch(MAX_ANSWER_BYTES)
  // The connection of the gateway follows redirects too.
  const following: Fetch = (url, init) => bounded(url, { ...init, signal, redirect: 'follow' })
  const onSecrets = () => {} // no part of the answer is shown
  const authorize = openAuthorization({ ...check, signal, now: Date.now, onSecrets })
  const { status } = await sendFirstRequest(connection.url, connection, authorize?.(following) ?? following)
  return status === 401 ? 'refused' : 'usable'
}
