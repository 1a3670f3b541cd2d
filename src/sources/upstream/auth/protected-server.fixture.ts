// Test fixture: a real MCP server over HTTP that verifies the access tokens of an authorization server.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { withResolvers } from '../../../core/waiting.ts'
import { listenForTest } from '../upstream.fixture.ts'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from './authorization-server.fixture.ts'

export interface ProtectedServerOptions extends AuthorizationServerOptions {
  /** `sse`: the transport before Streamable HTTP. */
  readonly era?: 'legacy' | 'modern' | 'sse'
  /** The number of tools on a page of the list. Default: all tools are on one page. Not over SSE. */
  readonly pageSize?: number
  /** Leaves the address of the metadata out of the challenge. */
  readonly withoutMetadataLink?: boolean
  /** Called before the token of a request is checked. Returns true if it has answered the request. */
  interceptServer?(request: IncomingMessage, response: ServerResponse): boolean
  /** The resource in the metadata of the server. Default: the address of the server. */
  readonly resource?: string
}

export interface ProtectedServer {
  readonly url: string
  readonly authorization: AuthorizationServer
  /** The token of each request that was let through. */
  readonly tokens: readonly string[]
  /** The Authorization header of every request to the server. */
  readonly sent: readonly (string | undefined)[]
  readonly calls: number
  /** Lets the calls of `wait` end. */
  release(): void
}

/**
 * The tools of the server. `write` needs the scope `write`, all others the scope `read`. `leak` fails with a text that
 * contains the token, and `wait` ends when the test releases it. Over SSE, the server has only `read`.
 */
const TOOLS = ['read', 'write', 'leak', 'wait']

export async function startProtectedServer(options: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const { era = 'legacy', pageSize = TOOLS.length, withoutMetadataLink = false } = options
  const tokens: string[] = []
  const sent: (string | undefined)[] = []
  let calls = 0
  const { promise: released, resolve: release } = withResolvers()
  const http = createServer()
  const origin = await listenForTest(http, options.onOpen)
  const url = `${origin}/mcp`
  const authorization = await startAuthorizationServer(() => url, options)
  const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`

  const createProtocolServer = () => {
    const server = new Server({ name: 'protected', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', async ({ params }) => {
      const from = Number(params?.cursor ?? 0)
      const end = from + pageSize
      return {
        tools: TOOLS.slice(from, end).map((name) => ({ name, inputSchema: { type: 'object' as const } })),
        ...(end < TOOLS.length ? { nextCursor: String(end) } : {}),
      }
    })
    server.setRequestHandler('tools/call', async ({ params }) => {
      calls++
      if (params.name === 'wait') await released
      const text = params.name === 'leak' ? `the token is ${tokens.at(-1)}` : `did ${params.name}`
      return { content: [{ type: 'text', text }], ...(params.name === 'leak' ? { isError: true } : {}) }
    })
    return server
  }
  const answer =
    era === 'modern'
      ? toNodeHandler(createMcpHandler(createProtocolServer, { legacy: 'reject' }))
      : era === 'legacy'
        ? legacyHandler(createProtocolServer)
        : sseHandler()

  const challenge = (response: ServerResponse, status: number, fields: Readonly<Record<string, string>>) => {
    const link = withoutMetadataLink ? {} : { resource_metadata: metadataUrl }
    const params = Object.entries({ ...fields, ...link }).map(([key, value]) => `${key}="${value}"`)
    response.writeHead(status, { 'www-authenticate': `Bearer ${params.join(', ')}` }).end()
  }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
      response.writeHead(200, { 'content-type': 'application/json' })
      const { resource = url } = options
      return response.end(JSON.stringify({ resource, authorization_servers: [authorization.issuer] }))
    }
    if (request.url?.split('?')[0] !== '/mcp') return response.writeHead(404).end()
    sent.push(request.headers.authorization)
    if (options.interceptServer?.(request, response) === true) return
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
    const granted = token === undefined ? undefined : await scopesOf(authorization, token, url)
    if (token === undefined || granted === undefined) return challenge(response, 401, { scope: 'read' })
    const body = await readBody(request)
    const wanted = body.includes('"tools/call"') && body.includes('"name":"write"') ? 'write' : 'read'
    if (!granted.has(wanted)) return challenge(response, 403, { error: 'insufficient_scope', scope: wanted })
    tokens.push(token)
    // A node:http message. The adapter's type only declares its optional fields differently.
    const typed = request as IncomingMessage & { method: string; url: string }
    return answer(typed, response, body === '' ? undefined : JSON.parse(body))
  }
  http.on('request', (request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  return {
    url,
    authorization,
    tokens,
    sent,
    release,
    get calls() {
      return calls
    },
  }
}

/** The scopes of a token that is valid for this server. Tokens of clients without a user are checked too. */
async function scopesOf({ provider }: AuthorizationServer, token: string, url: string) {
  const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token))
  if (found === undefined || found.isExpired || ![found.aud].flat().includes(url)) return undefined
  return new Set((found.scope ?? '').split(' '))
}

function legacyHandler(createProtocolServer: () => Server) {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  return async (request: IncomingMessage, response: ServerResponse, body: unknown) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (known !== undefined) return known.handleRequest(request, response, body)
    if (id !== undefined) return void response.writeHead(404).end()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    })
    await createProtocolServer().connect(transport)
    return transport.handleRequest(request, response, body)
  }
}

/** Uses SDK v1, because SDK v2 has no SSE transport for servers. */
function sseHandler() {
  const sessions = new Map<string, SSEServerTransport>()
  return async (request: IncomingMessage, response: ServerResponse, body: unknown) => {
    const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('sessionId') ?? ''
    if (request.method === 'POST') return sessions.get(id)?.handlePostMessage(request, response, body)
    const transport = new SSEServerTransport('/mcp', response)
    sessions.set(transport.sessionId, transport)
    const server = new McpServer({ name: 'protected', version: '1.0.0' })
    server.tool('read', () => ({ content: [{ type: 'text', text: 'did read' }] }))
    return server.connect(transport)
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
