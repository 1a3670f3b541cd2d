// The second half of a login: checks the redirect, exchanges its code for tokens and stores them.

import {
  type AuthorizationServerMetadata,
  exchangeAuthorization,
  type OAuthDiscoveryState,
  OAuthError,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client'
import type { Fetch } from '../../../core/bounded-fetch.ts'
import { defined } from '../../../core/defined.ts'
import type { LoginClient } from './login-client.ts'
import { LoginFailed } from './login-errors.ts'
import { expiryOf, type Login, type LoginStore, type LoginTarget, secretsOfLogin } from './login-store.ts'

/** A login that waits for its redirect. */
export interface BegunLogin {
  readonly target: LoginTarget
  readonly client: LoginClient
  readonly metadata: AuthorizationServerMetadata
  readonly discovery: OAuthDiscoveryState
  readonly redirectUrl: string
  /** True if the client comes from the config. It is then not stored. */
  readonly isClientOfConfig: boolean
  readonly logins: LoginStore
  readonly fetchFn: Fetch
  readonly now: () => number
  readonly signal: AbortSignal
  onSecrets(secrets: readonly string[]): void
}

export async function finishLogin(params: URLSearchParams, begun: BegunLogin): Promise<Login> {
  const { target, client, metadata, discovery, redirectUrl, logins, now } = begun
  const { issuer } = metadata
  const iss = params.get('iss') ?? undefined
  const issParameterSupported = metadata.authorization_response_iss_parameter_supported === true
  // The issuer is checked first, because the redirect may come from another authorization server.
  validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported })
  const code = params.get('code')
  if (code === null) throw new LoginFailed(refusalIn(params))
  begun.onSecrets([code])
  const { client: information, codeVerifier, resource } = client
  if (information === undefined) throw new LoginFailed('no client is registered')
  const tokens = await exchangeAuthorization(discovery.authorizationServerUrl, {
    metadata,
    clientInformation: information,
    authorizationCode: code,
    codeVerifier,
    redirectUri: redirectUrl,
    fetchFn: begun.fetchFn,
    ...defined({ iss, resource }),
  }).catch((error: unknown) => {
    if (!(error instanceof OAuthError)) throw error
    throw new LoginFailed(`its authorization server refused the login: ${error.message}`, { cause: error })
  })
  const { resourceMetadataUrl, authorizationServerUrl } = discovery
  const login: Login = {
    ...target,
    issuer,
    clientId: information.client_id,
    ...(begun.isClientOfConfig ? {} : { client: information }),
    tokens: { ...tokens, issuer },
    ...expiryOf(tokens, now()),
    ...(resource === undefined ? {} : { resource }),
    discovery: { authorizationServerUrl, ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }) },
    savedAt: now(),
  }
  begun.onSecrets(secretsOfLogin(login))
  // `replace` removes the logins with other issuers. Otherwise their tokens would be used when this login is refused.
  await logins.exclusively(target, begun.signal, () => logins.replace(login))
  return login
}

/** The reason that the authorization server gives. Only the characters of the standard are shown. */
function refusalIn(params: URLSearchParams): string {
  const clean = (text: string | null) => (text ?? '').replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '').slice(0, 300)
  const error = clean(params.get('error'))
  if (error === '') return 'the redirect has no code'
  const description = clean(params.get('error_description'))
  return `its authorization server refused the login: ${description === '' ? error : `${description} (${error})`}`
}
