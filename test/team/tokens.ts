// Runs the `token` command of the built program, and connects clients that record their answers.

import { execFileSync } from 'node:child_process'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { connectClient, type GatewayClient, type ProtocolEra } from '../e2e/gateway/client.ts'
import { mainPath } from '../e2e/gateway/harness.ts'
import type { GatewayHome } from '../e2e/gateway/home.ts'

/** Runs `toolcrib token ...` in a home and returns what it prints on stdout. */
export function tokenCommand(home: GatewayHome, verb: string, ...words: readonly string[]): string {
  const args = [mainPath(), 'token', verb, '--config', home.config, ...words]
  return execFileSync(process.execPath, args, { env: { ...home.env }, cwd: home.path, encoding: 'utf8', stdio: 'pipe' })
}

export function addToken(home: GatewayHome, name: string, ...flags: readonly string[]): string {
  return tokenCommand(home, 'add', name, ...flags).trim()
}

export interface RecordedClient extends GatewayClient {
  /** The headers and bodies of all answers so far, except those of streams that stay open. */
  bytes(): Promise<string>
}

export async function connectRecorded(url: string, token: string, era: ProtocolEra): Promise<RecordedClient> {
  const answers: Promise<string>[] = []
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    async fetch(address, init) {
      const response = await fetch(address, init)
      const head = JSON.stringify([...response.headers])
      // These streams end with the session or the subscription, so their text cannot be awaited here.
      const isEndless = init?.method === 'GET' || String(init?.body ?? '').includes('subscriptions/listen')
      if (!isEndless)
        answers.push(
          response
            .clone()
            .text()
            .then((body) => head + body),
        )
      return response
    },
  })
  const client = await connectClient(transport, { era })
  return { ...client, bytes: async () => (await Promise.all(answers)).join('\n') }
}

/** Sends an HTTP request with a token, without an MCP client. */
export function ask(url: string, token: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    ...init,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...init.headers,
    },
  })
}

export function initialize(url: string, token: string): Promise<Response> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  return ask(url, token, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
}
