// Checks whether this user can use a remote server without a login or with the stored one.

import type { RemoteConnection } from '../../../config/server-config.ts'
import { createBoundedFetch, type Fetch } from '../../../core/bounded-fetch.ts'
import { unlessAborted } from '../../../core/unless-aborted.ts'
import { withTimeout } from '../../../core/with-timeout.ts'
import { sendFirstRequest } from './discover-login.ts'
import { loginRequiredIn } from './login-errors.ts'
import { LOCAL_OWNER } from './login-owner.ts'
import type { LoginStore } from './login-store.ts'
import { hasOwnAuthorization, openAuthorization } from './open-authorization.ts'
import { loginUrl } from './server-address.ts'

export type Access =
  /** The server answers, or the config or a stored login has the credentials for it, or its address is not a URL. */
  | 'usable'
  /** The server needs a login that does not exist or has expired. */
  | 'login'
  /** The server answers with HTTP 401 and describes no login. */
  | 'refused'
  /** The server cannot be reached or did not answer in time, and no login for it is stored. */
  | 'unreachable'

interface AccessCheck {
  /** The name that the login is stored under. */
  readonly server: string
  /** With resolved references. */
  readonly connection: RemoteConnection
  readonly logins: LoginStore
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const MAX_ANSWER_BYTES = 1024 * 1024

/** Rejects only if the signal aborts. */
export async function checkAccess(check: AccessCheck): Promise<Access> {
  const { server, connection, logins, timeoutMs, signal } = check
  if (!URL.canParse(connection.url) || hasOwnAuthorization(connection)) return 'usable'
  try {
    return await withTimeout(timeoutMs, signal, (limited) => unlessAborted(request(check, limited), limited))
  } catch (error) {
    signal.throwIfAborted()
    if (loginRequiredIn(error) !== undefined) return 'login'
    const target = { server, url: loginUrl(connection.url), principal: LOCAL_OWNER.principal }
    return (await logins.find(target))?.tokens === undefined ? 'unreachable' : 'usable'
  }
}

async function request({ server, connection, logins }: AccessCheck, signal: AbortSignal): Promise<Access> {
  const bounded = createBoundedFetch(MAX_ANSWER_BYTES)
  // The connection of the gateway follows redirects too.
  const following: Fetch = (url, init) => bounded(url, { ...init, signal, redirect: 'follow' })
  const onSecrets = () => {} // no part of the answer is shown
  const authorize = openAuthorization({ server, connection, logins, signal, now: Date.now, onSecrets })
  const { status } = await sendFirstRequest(connection.url, connection, authorize?.(following) ?? following)
  return status === 401 ? 'refused' : 'usable'
}
