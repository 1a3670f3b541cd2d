// Prepares a login with the SDK: finds or registers the OAuth client, and makes the address for the browser.

import {
  auth as authorize,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import type { HttpAuth } from '../../../config/server-config.ts'
import type { Fetch } from '../../../core/bounded-fetch.ts'
import { defined } from '../../../core/defined.ts'

interface PrepareLoginOptions {
  readonly serverUrl: string
  readonly auth: HttpAuth | undefined
  readonly redirectUrl: string
  readonly state: string
  readonly scope: string | undefined
  readonly discovery: OAuthDiscoveryState
  /** The client that was registered for an earlier login with the same issuer. */
  readonly registered: StoredOAuthClientInformation | undefined
  readonly fetchFn: Fetch
}

export interface PreparedLogin {
  readonly authorizationUrl: URL | undefined
  readonly codeVerifier: string
  readonly resource: string | undefined
  /** The client that the login uses. */
  readonly client: StoredOAuthClientInformation | undefined
}

export async function prepareLogin(options: PrepareLoginOptions): Promise<PreparedLogin> {
  const { serverUrl, auth, redirectUrl, state, scope, discovery, registered, fetchFn } = options
  const configured = clientOfConfig(auth)
  let client = configured ?? registered
  let authorizationUrl: URL | undefined
  let codeVerifier = ''
  let resource: string | undefined
  const provider: OAuthClientProvider = {
    redirectUrl,
    ...defined({ clientMetadataUrl: auth?.clientMetadataUrl }),
    clientMetadata: {
      client_name: 'Toolcrib',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: auth?.clientSecret === undefined ? 'none' : 'client_secret_basic',
      ...defined({ scope: auth?.scopes?.join(' ') }),
    },
    state: () => state,
    clientInformation: () => client,
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
  }
  // Not set for a client of the config: without this function, the SDK refuses to use the client with another issuer.
  if (configured === undefined) {
    provider.saveClientInformation = (saved) => {
      client = saved
    }
  }
  await authorize(provider, { serverUrl, fetchFn, ...defined({ scope }) })
  return { authorizationUrl, codeVerifier, resource, client }
}

/** The client that the config names, if any. Its secret belongs to the issuer of the config, if the config has one. */
function clientOfConfig(auth: HttpAuth | undefined): StoredOAuthClientInformation | undefined {
  if (auth?.clientId === undefined) return undefined
  const { clientId, clientSecret, issuer } = auth
  return { client_id: clientId, ...defined({ client_secret: clientSecret, issuer }) }
}
