// Test fixture: a real authorization server (oidc-provider) on loopback. Its options can make it misbehave.

import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { listenForTest } from '../upstream.fixture.ts'

export interface AuthorizationServerOptions {
  /** The lifetime of an access token (default 3,600). */
  readonly lifetimeSeconds?: number
  readonly clients?: Configuration['clients']
  readonly issuesJwts?: boolean
  /** Default: read and write. */
  readonly scopes?: readonly string[]
  /** Client id metadata documents by their address, which the server accepts as clients. */
  readonly documents?: Readonly<Record<string, unknown>>
  readonly withoutRegistration?: boolean
  /** Changes the metadata of the server before they are sent. */
  changeMetadata?(metadata: Record<string, unknown>): void
  /** Requests to paths that start with one of these are answered with 404. */
  readonly hidden?: readonly string[]
  /** Called with the function that ends the server. By default the server ends with the test. */
  onOpen?(close: () => void): void
  /** Returns true if it has answered the request. The server then does not answer it. */
  intercept?(request: IncomingMessage, response: ServerResponse): boolean
}

export interface AuthorizationServer {
  readonly issuer: string
  readonly provider: Provider
  /** The form fields of each request to the token endpoint. */
  readonly tokenRequests: readonly URLSearchParams[]
  readonly paths: readonly string[]
  readonly headers: readonly IncomingMessage['headers'][]
  /** Ends all grants: access tokens and refresh tokens are no longer valid. */
  revokeAll(): Promise<void>
  revoke(accessToken: string): Promise<void>
}

const SCOPES = ['read', 'write']
const ACCOUNT = 'ada'

export async function startAuthorizationServer(
  resource: () => string,
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const http = createServer()
  const issuer = await listenForTest(http, options.onOpen)
  const provider = new Provider(issuer, configurationFor(resource, options))
  const grants = new Set<string>()
  const tokenRequests: URLSearchParams[] = []
  const paths: string[] = []
  const headers: IncomingMessage['headers'][] = []
  provider.on('grant.success', (ctx: KoaContextWithOIDC) => {
    const grantId = ctx.oidc.entities.Grant?.jti
    if (grantId !== undefined) grants.add(grantId)
  })
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.path === '/token') {
      const { body } = (ctx as unknown as KoaContextWithOIDC).oidc // set by the provider
      tokenRequests.push(
        new URLSearchParams(Object.entries(body ?? {}).map(([key, value]): [string, string] => [key, String(value)])),
      )
    }
  })
  const answer = provider.callback()
  http.on('request', (request, response) => {
    const url = new URL(request.url ?? '', issuer)
    paths.push(url.pathname)
    headers.push(request.headers)
    if (options.intercept?.(request, response) === true) return
    if (options.hidden?.some((path) => url.pathname.startsWith(path)) === true) {
      response.writeHead(404).end()
    } else if (url.pathname.startsWith('/.well-known/') && options.changeMetadata !== undefined) {
      void sendChangedMetadata(provider, request, response, options.changeMetadata)
    } else if (url.pathname.startsWith('/interaction/')) {
      void approveLogin(provider, request, response)
    } else {
      answer(request, response)
    }
  })
  return {
    issuer,
    provider,
    tokenRequests,
    paths,
    headers,
    async revokeAll() {
      for (const grantId of grants) {
        await (await provider.Grant.find(grantId))?.destroy()
        await provider.AccessToken.revokeByGrantId(grantId)
        await provider.RefreshToken.revokeByGrantId(grantId)
      }
    },
    async revoke(accessToken) {
      await (await provider.AccessToken.find(accessToken))?.destroy()
    },
  }
}

function configurationFor(resource: () => string, options: AuthorizationServerOptions): Configuration {
  const { lifetimeSeconds = 3_600, clients = [], documents, withoutRegistration = false, scopes = SCOPES } = options
  const resourceServerInfo = (scope: string) => ({
    scope,
    audience: resource(),
    accessTokenTTL: lifetimeSeconds,
    accessTokenFormat: options.issuesJwts === true ? ('jwt' as const) : ('opaque' as const),
  })
  return {
    clients,
    scopes: ['openid', 'offline_access', ...scopes],
    cookies: { keys: ['a key for the cookies of a test'] },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: !withoutRegistration },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource(),
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, indicator) => {
          if (indicator !== resource()) throw new Error(`unknown resource ${indicator}`)
          return resourceServerInfo(scopes.join(' '))
        },
      },
      ...(documents === undefined ? {} : { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } }),
    },
    ...(documents === undefined
      ? {}
      : {
          fetch: async (url: string | URL) => {
            const document = documents[String(url)]
            return document === undefined
              ? new Response(null, { status: 404 })
              : Response.json(document, { headers: { 'cache-control': 'max-age=60' } })
          },
        }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    ttl: { Interaction: 600, Session: 600, Grant: 3_600, RefreshToken: 3_600 },
    clientBasedCORS: () => false,
  } as Configuration // the types of the package do not have client id metadata documents yet
}

/** Answers the login page by logging the account in, and the consent page by granting everything that is asked for. */
async function approveLogin(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: ACCOUNT } })
    return
  }
  const stored = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant =
    stored ?? new provider.Grant({ accountId: session?.accountId ?? ACCOUNT, clientId: String(params.client_id) })
  const { missingOIDCScope, missingResourceScopes } = prompt.details as {
    missingOIDCScope?: string[]
    missingResourceScopes?: Record<string, string[]>
  } // as the documentation of the server describes it
  if (missingOIDCScope !== undefined) grant.addOIDCScope(missingOIDCScope.join(' '))
  for (const [indicator, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(indicator, scopes.join(' '))
  }
  await provider.interactionFinished(
    request,
    response,
    { consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: true },
  )
}

/** Gets the metadata from the provider through a second HTTP server, changes them and sends them. */
async function sendChangedMetadata(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  change: (metadata: Record<string, unknown>) => void,
): Promise<void> {
  const inner = createServer(provider.callback()).listen(0, '127.0.0.1')
  await once(inner, 'listening')
  const { port } = inner.address() as AddressInfo // it listens on a port
  const host = request.headers.host ?? ''
  const answer = await new Promise<string>((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: request.url, headers: { host } }, (incoming) => {
      let text = ''
      incoming.on('data', (chunk) => {
        text += chunk
      })
      incoming.on('end', () => resolve(text))
    }).on('error', reject)
  })
  inner.close()
  const metadata = JSON.parse(answer) as Record<string, unknown> // a metadata document
  change(metadata)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
}
