// Chooses the login of a server over HTTP. This file is loaded only for such servers.

import type { RemoteConnection } from '../../../config/server-config.ts'
import { createBoundedFetch, type Fetch } from '../../../core/bounded-fetch.ts'
import { type Authorization, createAuthorizedFetch } from './authorized-fetch.ts'
import { LOCAL_OWNER, type LoginOwner } from './login-owner.ts'
import type { LoginStore } from './login-store.ts'
import { createMachineLogin } from './machine-login.ts'
import { createLoginFetch, loginUrl } from './server-address.ts'
import { createStoredLogin } from './stored-login.ts'

interface AuthorizationOptions {
  readonly server: string
  readonly owner?: LoginOwner | undefined
  readonly connection: RemoteConnection
  readonly logins: LoginStore
  readonly signal: AbortSignal
  readonly now: () => number
  onSecrets(secrets: readonly string[]): void
}

/** Metadata and tokens are small. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** Returns a wrapper for the fetch of the connection. Undefined if the config has credentials or no valid address. */
export function openAuthorization(options: AuthorizationOptions): ((inner: Fetch) => Fetch) | undefined {
  const { connection } = options
  if (!URL.canParse(connection.url) || hasOwnAuthorization(connection)) return undefined
  const authorization = createAuthorization(options)
  return (inner) => createAuthorizedFetch(new URL(connection.url), authorization, inner)
}

function createAuthorization(options: AuthorizationOptions): Authorization {
  const { server, owner = LOCAL_OWNER, connection, logins, signal, now, onSecrets } = options
  const { auth } = connection
  const url = loginUrl(connection.url)
  const fetch = createLoginFetch(new URL(url), signal, createBoundedFetch(MAX_ANSWER_BYTES))
  if (auth?.grant === 'client_credentials') return createMachineLogin({ url, auth, fetch, now, onSecrets })
  const target = { server, url, principal: owner.principal }
  return createStoredLogin({ target, owner, store: logins, auth, fetch, signal, now, onSecrets })
}

/** True if the headers or the URL have credentials and `auth` is not set. A refused request means they are wrong. */
export function hasOwnAuthorization({ url, headers, auth }: RemoteConnection): boolean {
  const { username, password } = new URL(url)
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  return auth === undefined && (hasHeader || username !== '' || password !== '')
}
