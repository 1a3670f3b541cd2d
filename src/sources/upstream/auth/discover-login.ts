// Finds out how to log in to a server: its challenge, its protected resource metadata and its authorization server.

import {
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client'
import { kindOf } from '../../../config/connection-kinds.ts'
import type { RemoteConnection } from '../../../config/server-config.ts'
import type { Fetch } from '../../../core/bounded-fetch.ts'
import { defined } from '../../../core/defined.ts'
import type { Challenge } from './authorized-fetch.ts'
import { LoginFailed } from './login-errors.ts'

export async function discoverLogin(url: string, connection: RemoteConnection, fetchFn: Fetch) {
  // The request has no token, because only the refusal of such a request names the metadata and the scopes.
  const response = await sendFirstRequest(url, connection, fetchFn)
  const challenge: Challenge = response.status === 401 ? extractWWWAuthenticateParams(response) : {}
  const { resourceMetadataUrl, scope } = challenge
  const found = await discoverOAuthServerInfo(url, { fetchFn, ...defined({ resourceMetadataUrl }) })
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found
  if (metadata === undefined) throw new LoginFailed('it describes no login; it may need none, or a key in its config')
  // The SDK refuses a list without S256. The protocol also refuses an authorization server that has no list.
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true) {
    throw new LoginFailed(`its authorization server ${metadata.issuer} does not support PKCE with S256`)
  }
  const discovery: OAuthDiscoveryState = {
    authorizationServerUrl: String(authorizationServerUrl),
    authorizationServerMetadata: metadata,
    ...defined({ resourceMetadata, resourceMetadataUrl: resourceMetadataUrl?.href }),
  }
  return { metadata, discovery, scope }
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'toolcrib', version: '0' } },
})

/** Sends the first request of a client, and ends the session that it may have opened. The body is discarded. */
export async function sendFirstRequest(url: string, connection: RemoteConnection, fetchFn: Fetch): Promise<Response> {
  const { headers } = connection
  const isGet = kindOf(connection).firstMethod === 'GET'
  const accept = { accept: 'application/json, text/event-stream' }
  const response = await fetchFn(url, {
    ...(isGet ? {} : { method: 'POST', body: INITIALIZE }),
    headers: { ...headers, ...accept, ...(isGet ? {} : { 'content-type': 'application/json' }) },
    redirect: 'manual',
  })
  await response.body?.cancel().catch(() => {})
  const session = response.headers.get('mcp-session-id')
  // The server needs no login for this request, and has opened a session.
  if (session !== null && response.ok) {
    await fetchFn(url, { method: 'DELETE', headers: { ...headers, 'mcp-session-id': session } }).catch(() => {})
  }
  return response
}
