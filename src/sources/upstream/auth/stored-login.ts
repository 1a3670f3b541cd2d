// Uses the stored login of a user: sends its token, renews it under a lock, and never starts a login itself.

import {
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthServerInfo,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
} from '@modelcontextprotocol/client'
import type { HttpAuth } from '../../../config/server-config.ts'
import type { Fetch } from '../../../core/bounded-fetch.ts'
import { defined } from '../../../core/defined.ts'
import type { Authorization, Challenge } from './authorized-fetch.ts'
import { AuthorizationFailed, type LoginNeed, LoginRequired, shortReason } from './login-errors.ts'
import {
  expiryOf,
  isRenewalDue,
  type Login,
  type LoginOptions,
  type LoginStore,
  type LoginTarget,
  secretsOfLogin,
} from './login-store.ts'
import { LOCAL_OWNER } from './person.ts'
import { isSafe } from './server-address.ts'

interface StoredLoginOptions extends Pick<LoginOptions, 'owner' | 'now' | 'signal' | 'onSecrets'> {
  readonly target: LoginTarget
  readonly store: LoginStore
  readonly auth: HttpAuth | undefined
  /** For requests to the authorization server. */
  readonly fetch: Fetch
}

/** After these errors the authorization server does not accept the login again. */
const FINAL_ERRORS: ReadonlySet<string> = new Set([
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
])

export function createStoredLogin(options: StoredLoginOptions): Authorization {
  const { target, owner = LOCAL_OWNER, store, auth, now, signal, onSecrets } = options
  let current: Login | undefined
  let renewing: { readonly refused: string; readonly done: Promise<string> } | undefined
  /** Whether the server describes a login. */
  let discovering: Promise<boolean> | undefined
  /** True if no login was found. The server may not need one, so the store is read again only after a 401. */
  let isAbsent = false

  const required = (need: LoginNeed) => new LoginRequired(target.server, need, owner)
  /** Reads the login from the store again, because another process may have renewed or removed it. */
  const load = async (): Promise<Login | undefined> => {
    const known = current === undefined ? undefined : await store.read(target, current.issuer)
    const login = known?.tokens === undefined ? await store.find(target) : known
    if (login !== undefined && login.tokens?.access_token !== current?.tokens?.access_token) {
      onSecrets(secretsOfLogin(login))
    }
    current = login
    isAbsent = login === undefined
    return login
  }

  const renewOnce = (refused: string): Promise<string> =>
    store.exclusively(target, signal, async () => {
      const login = await load()
      if (login?.tokens === undefined) throw required({ why: 'expired' })
      // Another process has renewed the token, or the user has logged in again, while this process waited for the lock.
      if (login.tokens.access_token !== refused) return login.tokens.access_token
      try {
        const renewed = await refreshLogin(login, options)
        if (renewed === undefined) throw required({ why: 'expired' })
        onSecrets(secretsOfLogin(renewed))
        await store.save(renewed)
        current = renewed
        return renewed.tokens?.access_token ?? ''
      } catch (error) {
        if (!(error instanceof OAuthError) || !FINAL_ERRORS.has(error.code)) throw error
        const { tokens: _refused, expiresAt: _expiry, ...rest } = login
        await store.save({ ...rest, savedAt: now() })
        throw required({ why: 'expired' })
      }
    })

  /** Calls at the same time share one renewal. */
  const renew = async (refused: string): Promise<string> => {
    if (renewing?.refused !== refused) {
      const started = { refused, done: renewOnce(refused) }
      renewing = started
      const forget = () => {
        if (renewing === started) renewing = undefined
      }
      started.done.then(forget, forget)
    }
    try {
      return await renewing.done
    } catch (error) {
      if (error instanceof LoginRequired) throw error
      throw new AuthorizationFailed(`its login could not be renewed: ${shortReason(error)}`, { cause: error })
    }
  }

  const isDue = ({ tokens, expiresAt }: Login): boolean => {
    if (expiresAt === undefined || tokens?.refresh_token === undefined) return false
    return isRenewalDue(expiresAt, tokens, now())
  }

  /** True if the server describes a login, or if the config has one. */
  const describesLogin = ({ resourceMetadataUrl }: Challenge): Promise<boolean> => {
    if (auth !== undefined || resourceMetadataUrl !== undefined) return Promise.resolve(true)
    discovering ??= discoverOAuthServerInfo(target.url, { fetchFn: options.fetch }).then(
      ({ authorizationServerMetadata }) => authorizationServerMetadata !== undefined,
      () => false,
    )
    return discovering
  }

  return {
    async token() {
      if (isAbsent) return undefined
      const login = await load()
      const token = login?.tokens?.access_token
      if (login === undefined || token === undefined || !isSafe(new URL(target.url))) return undefined
      if (!isDue(login)) return token
      // If the renewal fails, the old token is sent: the clock of this machine may be wrong, so the server decides.
      return renew(token).catch((error: unknown) => {
        if (error instanceof LoginRequired) throw error
        return token
      })
    },
    async renew(refused, challenge) {
      if (refused !== undefined) return renew(refused)
      if (!isSafe(new URL(target.url))) return undefined
      const stored = (await load())?.tokens?.access_token
      if (stored !== undefined) return stored
      if (!(await describesLogin(challenge))) return undefined
      const expired = current !== undefined && current.tokens === undefined
      throw required({ why: expired ? 'expired' : 'none' })
    },
    async stepUp(refused, { scope }) {
      const wider = await store.exclusively(target, signal, async () => {
        const login = await load()
        const token = login?.tokens?.access_token
        if (token !== undefined && token !== refused) return token
        // The next `toolcrib login` asks for these scopes, in addition to those of this login.
        const wantedScope = computeScopeUnion(login?.wantedScope, login?.tokens?.scope, scope)
        if (login !== undefined && wantedScope !== undefined) await store.save({ ...login, wantedScope })
        return undefined
      })
      if (wider === undefined) throw required({ why: 'scope', scope })
      return wider
    },
    refused: () => required({ why: 'expired' }),
  }
}

/** Returns the login with new tokens. Undefined if it has no refresh token, or if the metadata name another issuer. */
async function refreshLogin(login: Login, { auth, fetch, now }: StoredLoginOptions): Promise<Login | undefined> {
  const { tokens, discovery, issuer, resource } = login
  const refreshToken = tokens?.refresh_token
  if (refreshToken === undefined) return undefined
  const { authorizationServerUrl } = discovery
  // The metadata are read again, because an authorization server may move its endpoints. The SDK checks their issuer.
  const metadata = await discoverAuthorizationServerMetadata(authorizationServerUrl, { fetchFn: fetch })
  if (metadata !== undefined && metadata.issuer !== issuer) return undefined
  const renewed = await refreshAuthorization(authorizationServerUrl, {
    clientInformation: clientOf(login, auth),
    refreshToken,
    fetchFn: fetch,
    ...defined({ metadata, resource }),
  })
  const { expiresAt: _expiry, ...rest } = login
  const stored = { ...renewed, issuer, ...defined({ scope: renewed.scope ?? tokens?.scope }) }
  return { ...rest, tokens: stored, ...expiryOf(renewed, now()), savedAt: now() }
}

/** The client that the tokens were issued to. */
function clientOf({ clientId, client, issuer }: Login, auth: HttpAuth | undefined) {
  if (client !== undefined) return client
  const secret = auth?.clientId === clientId ? auth.clientSecret : undefined
  return { client_id: clientId, issuer, ...defined({ client_secret: secret }) }
}
