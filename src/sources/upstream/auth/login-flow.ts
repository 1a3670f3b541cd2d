// A login of a person: prepares the address for the browser, and waits for the redirect.

import { randomBytes } from 'node:crypto'
import {
  type AuthorizationServerMetadata,
  auth as authorize,
  computeScopeUnion,
  isStrictScopeSuperset,
} from '@modelcontextprotocol/client'
import type { HttpAuth, RemoteConnection } from '../../../config/server-config.ts'
import { createBoundedFetch } from '../../../core/bounded-fetch.ts'
import { unlessAborted } from '../../../core/unless-aborted.ts'
import { discoverLogin } from './discover-login.ts'
import { type BegunLogin, finishLogin } from './finish-login.ts'
import { createLoginClient } from './login-client.ts'
import { asLoginFailed, LoginFailed } from './login-errors.ts'
import { LOCAL_OWNER, type LoginOwner } from './login-owner.ts'
import { type Login, type LoginStore, secretsOfLogin } from './login-store.ts'
import { hasState, type Loopback, openLoopback } from './loopback.ts'
import { createLoginFetch, isLoopback, isSafe, loginUrl } from './server-address.ts'

interface LoginFlowOptions {
  readonly server: string
  readonly owner?: LoginOwner | undefined
  /** With resolved references. */
  readonly connection: RemoteConnection
  readonly logins: LoginStore
  readonly now: () => number
  /** Ends the login. */
  readonly signal: AbortSignal
  onSecrets(secrets: readonly string[]): void
}

export interface LoginFlow {
  /** The address that the user must open. */
  readonly url: string
  readonly issuer: string
  readonly redirectUrl: string
  /** Resolves when the login is stored. Rejects with LoginFailed, or when the signal aborts. */
  readonly done: Promise<Login>
  /** Completes the login with the address that the browser was redirected to, as the user has copied it. */
  paste(address: string): Promise<Login>
  close(): void
}

const MAX_ANSWER_BYTES = 1024 * 1024

/** Rejects with LoginFailed if the server or its authorization server does not support a login. */
export async function beginLogin(options: LoginFlowOptions): Promise<LoginFlow> {
  const { server, owner = LOCAL_OWNER, connection, logins, signal, now, onSecrets } = options
  const { auth } = connection
  if (auth?.grant === 'client_credentials') throw new LoginFailed('it logs in by itself, with its client credentials')
  const target = { server, url: loginUrl(connection.url), principal: owner.principal }
  if (!isSafe(new URL(target.url))) throw new LoginFailed('a login needs an https address')
  const fetchFn = createLoginFetch(new URL(target.url), signal, createBoundedFetch(MAX_ANSWER_BYTES))
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
        `its authorization server ${issuer} registers no clients; register one there and set auth.clientId in the config`,
      )
    }
    const { redirectUrl } = loopback
    const scope = computeScopeUnion(auth?.scopes?.join(' '), lastLogin?.wantedScope) ?? scopeOfServer
    const registered = lastLogin?.issuer === issuer ? reusableClient(lastLogin, redirectUrl, scope) : undefined
    const client = createLoginClient({ auth, redirectUrl, state, discovery, registered })
    await authorize(client.provider, { serverUrl: target.url, fetchFn, ...(scope === undefined ? {} : { scope }) })
    const { authorizationUrl } = client
    // A remote server must not lead the browser to a service of this machine.
    const leadsHere = authorizationUrl !== undefined && isLoopback(authorizationUrl) && !isLoopback(new URL(target.url))
    if (authorizationUrl === undefined || !isSafe(authorizationUrl) || leadsHere) {
      throw new LoginFailed('its authorization server has no safe address for a login')
    }
    onSecrets([client.codeVerifier, ...secretsOfLogin({ client: client.client })])
    const isClientOfConfig = auth?.clientId !== undefined
    const begun = {
      target,
      client,
      metadata,
      discovery,
      redirectUrl,
      isClientOfConfig,
      logins,
      fetchFn,
      now,
      signal,
      onSecrets,
    }
    const complete = createCompletion(begun)
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
    throw new LoginFailed(`this is not the address of the redirect, which starts with ${redirectUrl}?`, {
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
  // If another program uses the port, the client is registered again with a new one.
  return openLoopback(state, port).catch(() => openLoopback(state))
}

/** The client of the last login, if it was registered with this address and with all of these scopes. */
function reusableClient(lastLogin: Login, redirectUrl: string, scope: string | undefined): Login['client'] {
  const { client } = lastLogin
  const registered: Readonly<Record<string, unknown>> = { ...client }
  const isTooNarrow = typeof registered.scope === 'string' && isStrictScopeSuperset(scope, registered.scope)
  return redirectsOf(lastLogin).includes(redirectUrl) && !isTooNarrow ? client : undefined
}

function redirectsOf({ client }: Login): readonly string[] {
  const registered: Readonly<Record<string, unknown>> = { ...client }
  const { redirect_uris: uris } = registered
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}
