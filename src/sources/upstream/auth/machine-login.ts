// The login of a machine (client credentials): the gateway gets a token by itself. The token is kept in memory only.

import {
  ClientCredentialsProvider,
  computeScopeUnion,
  discoverOAuthServerInfo,
  fetchToken,
  type OAuthTokens,
  selectResourceURL,
} from '@modelcontextprotocol/client'
import type { HttpAuth } from '../../../config/server-config.ts'
import type { Fetch } from '../../../core/bounded-fetch.ts'
import { defined } from '../../../core/defined.ts'
import type { Authorization, Challenge } from './authorized-fetch.ts'
import { AuthorizationFailed, shortReason } from './login-errors.ts'
import { expiryOf, isRenewalDue, type LoginOptions } from './login-store.ts'
import { isSafe } from './server-address.ts'

interface MachineLoginOptions extends Pick<LoginOptions, 'now' | 'onSecrets'> {
  readonly url: string
  readonly auth: HttpAuth
  readonly fetch: Fetch
}

export function createMachineLogin({ url, auth, fetch, now, onSecrets }: MachineLoginOptions): Authorization {
  const { clientId = '', clientSecret = '', issuer = '', scopes } = auth
  let scope = scopes?.join(' ')
  let tokens: OAuthTokens | undefined
  let expiresAt: number | undefined
  let fetching: Promise<string> | undefined
  let lastChallenge: Challenge = {}

  const fetchNewToken = async (): Promise<string> => {
    if (!isSafe(new URL(url))) throw new AuthorizationFailed('a login needs an https address')
    try {
      const provider = new ClientCredentialsProvider({
        clientId,
        clientSecret,
        clientName: 'Toolcrib',
        // The SDK refuses any other authorization server, so that the secret is not sent to it.
        expectedIssuer: issuer,
        ...defined({ scope }),
      })
      const { resourceMetadataUrl, scope: wantedScope } = lastChallenge
      const found = await discoverOAuthServerInfo(url, { fetchFn: fetch, ...defined({ resourceMetadataUrl }) })
      const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found
      // Checks that the metadata are about this server. The resource is then sent exactly as the metadata state it.
      const isChecked = (await selectResourceURL(url, provider, resourceMetadata)) !== undefined
      const resource = isChecked ? resourceMetadata?.resource : undefined
      tokens = await fetchToken(provider, authorizationServerUrl, {
        fetchFn: fetch,
        ...defined({ metadata, resource, scope: scope ?? wantedScope }),
      })
      onSecrets([tokens.access_token])
      expiresAt = expiryOf(tokens, now()).expiresAt
      return tokens.access_token
    } catch (error) {
      throw new AuthorizationFailed(`its authorization server gave no token: ${shortReason(error)}`, { cause: error })
    }
  }
  /** Calls at the same time share one request. */
  const renew = (refused: string | undefined): Promise<string> => {
    if (tokens !== undefined && tokens.access_token !== refused) return Promise.resolve(tokens.access_token)
    fetching ??= fetchNewToken().finally(() => {
      fetching = undefined
    })
    return fetching
  }
  const isDue = () => expiresAt !== undefined && isRenewalDue(expiresAt, tokens ?? {}, now())

  return {
    async token() {
      const token = tokens?.access_token
      if (token === undefined || !isDue()) return token
      // If the renewal fails, the old token is sent. The server decides whether it is still valid.
      return renew(token).catch(() => token)
    },
    renew(refused, challenge) {
      lastChallenge = challenge
      return renew(refused)
    },
    stepUp(refused, challenge) {
      lastChallenge = challenge
      scope = computeScopeUnion(scope, tokens?.scope, challenge.scope)
      return renew(refused)
    },
    refused: () => new AuthorizationFailed('it refuses the token of its authorization server (HTTP 401)'),
  }
}
