// An MCP server over HTTP in this process, with sessions that can be forgotten, and faults for the next requests.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HttpUpstream {
  readonly url: string
  readonly port: number
  /** The headers of all requests. */
  readonly headers: readonly IncomingHttpHeaders[]
  /** How often this tool ran. */
  runs(tool: string): number
  /** Forgets all sessions, as a restarted server does. */
  forgetSessions(): void
  /** From now on, `handler` answers calls of tools; `run` counts a call as run. Undefined restores normal answers. */
  onCall(handler: ((response: ServerResponse, run: () => void) => void) | undefined): void
  /** From now on, answers every request with a redirect to this address. Undefined ends the redirects. */
  redirectTo(location: string | undefined, status?: number): void
  close(): Promise<void>
}

interface Request {
  readonly id?: string | number
  readonly method: string
  readonly params?: { readonly name?: string; readonly protocolVersion?: string }
}

export async function startHttpUpstream(host = '127.0.0.1'): Promise<HttpUpstream> {
  const headers: IncomingHttpHeaders[] = []
  const ran: string[] = []
  let sessions = new Set<string>()
  let handler: ((response: ServerResponse, run: () => void) => void) | undefined
  let redirect: { readonly location: string; readonly status: number } | undefined
  const server = createServer(async (request, response) => {
    headers.push(request.headers)
    if (redirect !== undefined) {
      request.resume()
      return void response.writeHead(redirect.status, { location: redirect.location }).end()
    }
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { id, method, params } = JSON.parse(body) as Request // the gateway sends nothing else
    const answer = (result: unknown, more: Readonly<Record<string, string>> = {}) =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...more })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    if (method === 'initialize') {
      const session = randomUUID()
      sessions.add(session)
      const about = { capabilities: { tools: {} }, serverInfo: { name: 'upstream', version: '1' } }
      return void answer({ protocolVersion: params?.protocolVersion, ...about }, { 'mcp-session-id': session })
    }
    if (!sessions.has(String(request.headers['mcp-session-id'])))
      return void response.writeHead(404).end('No such session')
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/list') {
      const inputSchema = { type: 'object' }
      return void answer({
        tools: [
          { name: 'read', description: 'Reads.', inputSchema, annotations: { readOnlyHint: true } },
          { name: 'write', description: 'Writes.', inputSchema },
        ],
      })
    }
    if (method !== 'tools/call') {
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'No such method' } }))
    }
    const run = () => void ran.push(params?.name ?? '')
    if (handler !== undefined) return handler(response, run)
    run()
    answer({ content: [{ type: 'text', text: `did ${params?.name}` }] })
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://${host}:${port}/mcp`,
    port,
    headers,
    runs: (tool) => ran.filter((name) => name === tool).length,
    forgetSessions() {
      sessions = new Set()
    },
    onCall(next) {
      handler = next
    },
    redirectTo(location, status = 307) {
      redirect = location === undefined ? undefined : { location, status }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
