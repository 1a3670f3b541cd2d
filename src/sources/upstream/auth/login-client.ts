// The OAuth client of one login, for the SDK. It keeps the values of the login in memory until the login is complete.

import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import type { HttpAuth } from '../../../config/server-config.ts'
import { defined } from '../../../core/defined.ts'

interface LoginClientOptions {
  readonly auth: HttpAuth | undefined
  readonly redirectUrl: string
  readonly state: string
  readonly discovery: OAuthDiscoveryState
  /** The client that was registered for an earlier login with the same issuer. */
  readonly registered: StoredOAuthClientInformation | undefined
}

export interface LoginClient {
  readonly provider: OAuthClientProvider
  /** Set when the SDK has prepared the login. */
  readonly authorizationUrl: URL | undefined
  readonly codeVerifier: string
  readonly resource: string | undefined
  /** The client that the login uses. */
  readonly client: StoredOAuthClientInformation | undefined
}

export function createLoginClient({ auth, redirectUrl, state, ...given }: LoginClientOptions): LoginClient {
  const configured = clientOfConfig(auth)
  let client = configured ?? given.registered
  let discovery = given.discovery
  let authorizationUrl: URL | undefined
  let codeVerifier = ''
  let resource: string | undefined
  const { clientMetadataUrl, scopes, clientSecret } = auth ?? {}
  const provider: OAuthClientProvider = {
    redirectUrl,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    clientMetadata: {
      client_name: 'Toolcrib',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
      ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    },
    state: () => state,
    clientInformation: () => client,
    // Left out for a client of the config. Without it, the SDK refuses to use the client with another issuer.
    ...(configured === undefined
      ? {
          saveClientInformation(saved: StoredOAuthClientInformation) {
            client = saved
          },
        }
      : {}),
    // A login starts without tokens, so that the SDK does not renew old ones.
    tokens: () => undefined,
    saveTokens() {},
    redirectToAuthorization(url) {
      authorizationUrl = url
    },
    saveCodeVerifier(verifier) {
      codeVerifier = verifier
    },
    codeVerifier: () => codeVerifier,
    saveResourceUrl(url) {
      resource = url
    },
    discoveryState: () => discovery,
    saveDiscoveryState(saved) {
      discovery = saved
    },
  }
  return {
    provider,
    get authorizationUrl() {
      return authorizationUrl
    },
    get codeVerifier() {
      return codeVerifier
    },
    get resource() {
      return resource
    },
    get client() {
      return client
    },
  }
}

/** The client that the config names, if any. Its secret belongs to the issuer of the config, if the config has one. */
function clientOfConfig(auth: HttpAuth | undefined): StoredOAuthClientInformation | undefined {
  if (auth?.clientId === undefined) return undefined
  const { clientId, clientSecret, issuer } = auth
  return {
    client_id: clientId,
    ...defined({ client_secret: clientSecret, issuer }),
  }
}
