// A login of a person: makes the address for the browser, waits for the redirect, and stores the tokens.

import { randomBytes } from 'node:crypto'
import {
  type AuthorizationServerMetadata,
  computeScopeUnion,
  exchangeAuthorization,
  isStrictScopeSuperset,
  type OAuthDiscoveryState,
  OAuthError,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client'
import type { HttpAuth } from '../../../config/server-config.ts'
import type { Fetch } from '../../../core/bounded-fetch.ts'
import { defined } from '../../../core/defined.ts'
import { isLoopback } from '../../../core/is-loopback.ts'
import { unlessAborted } from '../../../core/waiting.ts'
import { discoverLogin } from './discover-login.ts'
import { asLoginFailed, LoginFailed } from './login-errors.ts'
import { expiryOf, type Login, type LoginOptions, type LoginTarget, secretsOfLogin } from './login-store.ts'
import { hasState, type Loopback, openLoopback } from './loopback.ts'
import { type PreparedLogin, prepareLogin } from './prepare-login.ts'
import { createLoginFetch, isSafe, targetOf } from './server-address.ts'

export interface LoginFlow {
  readonly url: string
  readonly issuer: string
  readonly redirectUrl: string
  /** Resolves when the login is stored. Rejects with LoginFailed, or when the signal aborts. */
  readonly done: Promise<Login>
  /** Completes the login with the address that the browser was redirected to, as the user has copied it. */
  paste(address: string): Promise<Login>
  close(): void
}

/** Rejects with LoginFailed if the server or its authorization server does not support a login. */
export async function beginLogin(options: LoginOptions): Promise<LoginFlow> {
  const { server, connection, logins, signal, onSecrets } = options
  const { auth } = connection
  if (auth?.grant === 'client_credentials')
    throw new LoginFailed('the gateway logs in to it with client credentials, so no user has to log in')
  const target = targetOf(options)
  const serverUrl = new URL(target.url)
  if (!isSafe(serverUrl)) throw new LoginFailed('a login needs an https address')
  const fetchFn = createLoginFetch(serverUrl, signal)
  const lastLogin = await logins.find(target)
  const state = randomBytes(32).toString('base64url')
  const loopback = await openRedirectPort(state, auth?.redirectPort, lastLogin)
  try {
    const { metadata, discovery, scope: scopeOfServer } = await discoverLogin(target.url, connection, fetchFn)
    const { issuer } = metadata
    if (auth?.issuer !== undefined && auth.issuer !== issuer) {
      throw new LoginFailed(`its authorization server is ${issuer}, and the config allows only ${auth.issuer}`)
    }
    if (!canGetClient(auth, metadata)) {
      throw new LoginFailed(
        `its authorization server ${issuer} does not register clients by itself; create an OAuth client there by hand, and set auth.clientId in the config`,
      )
    }
    const { redirectUrl } = loopback
    const scope = computeScopeUnion(auth?.scopes?.join(' '), lastLogin?.wantedScope) ?? scopeOfServer
    const registered = lastLogin?.issuer === issuer ? reusableClient(lastLogin, redirectUrl, scope) : undefined
    const wanted = { serverUrl: target.url, auth, redirectUrl, state, scope, discovery, registered, fetchFn }
    const prepared = await prepareLogin(wanted)
    const { authorizationUrl, codeVerifier, client } = prepared
    // A remote server must not lead the browser to a service of this machine.
    const leadsHere = isLoopback(authorizationUrl?.hostname ?? '') && !isLoopback(serverUrl.hostname)
    if (authorizationUrl === undefined || !isSafe(authorizationUrl) || leadsHere) {
      throw new LoginFailed('its authorization server has no safe address for a login')
    }
    onSecrets([codeVerifier, ...secretsOfLogin({ client })])
    const complete = createCompletion({ ...options, ...prepared, target, metadata, discovery, redirectUrl, fetchFn })
    const done = waitForRedirect(server, loopback, complete, signal)
    return {
      url: authorizationUrl.href,
      issuer,
      redirectUrl,
      done,
      paste: async (address) => complete(readPasted(address, redirectUrl, state)),
      close: () => loopback.close(),
    }
  } catch (error) {
    loopback.close()
    signal.throwIfAborted()
    throw asLoginFailed(error)
  }
}

/** True if the config names a client, or if the authorization server accepts a new one. */
function canGetClient(auth: HttpAuth | undefined, metadata: AuthorizationServerMetadata): boolean {
  const hasDocument = auth?.clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true
  return auth?.clientId !== undefined || hasDocument || metadata.registration_endpoint !== undefined
}

type Complete = (params: URLSearchParams) => Promise<Login>

/** Completes the login with the first redirect. Later calls get the same result: a code can be used only once. */
function createCompletion(begun: BegunLogin): Complete {
  let completed: Promise<Login> | undefined
  return (params) => {
    completed ??= finishLogin(params, begun).catch((error: unknown) => {
      throw asLoginFailed(error)
    })
    return completed
  }
}

function waitForRedirect(
  server: string,
  { redirected, close }: Loopback,
  complete: Complete,
  signal: AbortSignal,
): Promise<Login> {
  const wait = async () => {
    try {
      const { params, reply } = await unlessAborted(redirected, signal)
      try {
        const login = await complete(params)
        reply(true, `Toolcrib is logged in to '${server}'. You can close this window.`)
        return login
      } catch (error) {
        reply(false, 'The login failed. The program that started it shows the reason.')
        throw error
      }
    } finally {
      close()
    }
  }
  const done = wait()
  // The caller may not wait for `done`, for example after the address was pasted.
  done.catch(() => {})
  return done
}

function readPasted(address: string, redirectUrl: string, state: string): URLSearchParams {
  const text = address.trim()
  const [pasted, expected] = [URL.canParse(text) ? new URL(text) : undefined, new URL(redirectUrl)]
  if (pasted === undefined || pasted.origin !== expected.origin || pasted.pathname !== expected.pathname) {
    throw new LoginFailed(`this is not the address of the redirect, which starts with '${redirectUrl}?'`, {
      isFinal: false,
    })
  }
  if (!hasState(pasted.searchParams, state))
    throw new LoginFailed('this address belongs to another login', { isFinal: false })
  return pasted.searchParams
}

/** Uses the port of the config, or the port that the client was registered with, or any free port. */
async function openRedirectPort(
  state: string,
  configuredPort: number | undefined,
  lastLogin: Login | undefined,
): Promise<Loopback> {
  if (configuredPort !== undefined) {
    return openLoopback(state, configuredPort).catch((error: unknown) => {
      throw new LoginFailed(`port ${configuredPort} of auth.redirectPort cannot be used`, { cause: error })
    })
  }
  const [redirect] = lastLogin === undefined ? [] : redirectsOf(lastLogin)
  const port = redirect === undefined || !URL.canParse(redirect) ? 0 : Number(new URL(redirect).port)
  // If another program uses the port, the client is registered again with a new port.
  return openLoopback(state, port).catch(() => openLoopback(state))
}

/** The client of the last login, if it was registered with this address and with all of these scopes. */
function reusableClient(lastLogin: Login, redirectUrl: string, scope: string | undefined): Login['client'] {
  const { client } = lastLogin
  const { scope: registered }: Readonly<Record<string, unknown>> = { ...client }
  const isTooNarrow = typeof registered === 'string' && isStrictScopeSuperset(scope, registered)
  return redirectsOf(lastLogin).includes(redirectUrl) && !isTooNarrow ? client : undefined
}

function redirectsOf({ client }: Login): readonly string[] {
  const { redirect_uris: uris }: Readonly<Record<string, unknown>> = { ...client }
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}

/** A login that waits for its redirect. */
interface BegunLogin extends LoginOptions, PreparedLogin {
  readonly target: LoginTarget
  readonly metadata: AuthorizationServerMetadata
  readonly discovery: OAuthDiscoveryState
  readonly redirectUrl: string
  readonly fetchFn: Fetch
}

/** Checks the redirect, exchanges its code for tokens and stores them. */
async function finishLogin(params: URLSearchParams, begun: BegunLogin): Promise<Login> {
  const { target, client, codeVerifier, resource, metadata, discovery, connection, logins, now, onSecrets } = begun
  const { issuer } = metadata
  const iss = params.get('iss') ?? undefined
  const issParameterSupported = metadata.authorization_response_iss_parameter_supported === true
  // The issuer is checked first, because the redirect may come from another authorization server.
  validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported })
  const code = params.get('code')
  if (code === null) throw new LoginFailed(refusalIn(params))
  onSecrets([code])
  if (client === undefined) throw new LoginFailed('no client is registered')
  const { resourceMetadataUrl, authorizationServerUrl } = discovery
  const tokens = await exchangeAuthorization(authorizationServerUrl, {
    metadata,
    clientInformation: client,
    authorizationCode: code,
    codeVerifier,
    redirectUri: begun.redirectUrl,
    fetchFn: begun.fetchFn,
    ...defined({ iss, resource }),
  }).catch((error: unknown) => {
    if (!(error instanceof OAuthError)) throw error
    throw new LoginFailed(`its authorization server refused the login: ${error.message}`, { cause: error })
  })
  const login: Login = {
    ...target,
    issuer,
    clientId: client.client_id,
    // A client of the config is not stored.
    ...(connection.auth?.clientId === undefined ? { client } : {}),
    tokens: { ...tokens, issuer },
    ...expiryOf(tokens, now()),
    ...defined({ resource }),
    discovery: { authorizationServerUrl, ...defined({ resourceMetadataUrl }) },
    savedAt: now(),
  }
  onSecrets(secretsOfLogin(login))
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
