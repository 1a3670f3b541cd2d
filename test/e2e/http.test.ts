// The HTTP front door: authentication, refused requests, and disconnects of either side.

import { request } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createMcpServer, type McpServer, type McpServerOptions } from '../../src/index.ts'
import { serverOptions } from '../fixtures/variants.ts'
import { covers } from './harness.ts'

const eras = ['legacy', 'modern'] as const
type Era = (typeof eras)[number]
const ALICE = 'alice-token-0123456789'
const BOB = 'bob-token-0123456789'

const running = new Set<McpServer>()
afterEach(async () => {
  await Promise.all([...running].map((server) => server.stop()))
  running.clear()
})

async function serve(rest: Partial<McpServerOptions> = {}): Promise<McpServer> {
  const { options, attach } = serverOptions('watched', 'individual')
  const server = createMcpServer({ ...options, transport: 'http', port: 0, ...rest })
  attach(server)
  running.add(server)
  await server.start()
  return server
}

async function connect(server: McpServer, era: Era, token?: string): Promise<Client> {
  const client = new Client(
    { name: 'e2e', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } } },
  )
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.getUrl()}/mcp`), { requestInit: { headers } }),
  )
  return client
}

const dataOf = async (call: ReturnType<Client['callTool']>) => {
  const { structuredContent } = await call
  return (structuredContent as { data?: unknown }).data // every tool of ours answers with a CommandResult
}

describe('the front door', () => {
  let server: McpServer
  beforeAll(async () => {
    server = await serve()
    running.delete(server)
  })
  afterAll(() => server.stop())

  /** Uses node:http, because `fetch` does not allow setting the Host header. */
  const post = (headers: Record<string, string>, body = '{}') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const { hostname, port } = new URL(server.getUrl())
      const sent = request(
        { hostname, port, path: '/mcp', method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
          // A server that refuses a body may close the connection before it has read all of it.
          response.on('error', () => resolve({ status: response.statusCode ?? 0, text }))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const accept = 'application/json, text/event-stream'

  it('the server serves MCP at /mcp and answers the health check', async () => {
    covers('PN-3')
    expect(server.getUrl()).toMatch(/^http:\/\/localhost:\d+$/)
    expect(server.getTransport()).toBe('http')
    const client = await connect(server, 'modern')
    expect(await dataOf(client.callTool({ name: 'status', arguments: {} }))).toEqual({ open: true })
    await client.close()
    expect((await fetch(`${server.getUrl()}/health`)).status).toBe(200)
    expect((await fetch(`${server.getUrl()}/ready`)).status).toBe(200)
    expect((await fetch(`${server.getUrl()}/elsewhere`)).status).toBe(404)
  })

  it('the server refuses foreign hosts and origins', async () => {
    covers('HT-1')
    expect((await post({ accept, host: 'evil.example' })).status).toBe(403)
    expect((await post({ accept, origin: 'https://evil.example' })).status).toBe(403)
    expect((await post({ accept, host: 'localhost', origin: 'http://localhost:8080' })).status).not.toBe(403)
  })

  it('the server answers malformed JSON with an error and refuses a body over four megabytes', async () => {
    covers('HT-2')
    const malformed = await post({ accept }, '{"jsonrpc": "2.0", ')
    expect(malformed.status).toBe(400)
    expect(JSON.parse(malformed.text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32700 } })
    const huge = await post({ accept }, JSON.stringify({ text: 'x'.repeat(5 * 1024 * 1024) }))
    expect(huge.status).toBe(413)
    expect((await fetch(`${server.getUrl()}/health`)).status).toBe(200)
  })

  it.each(eras)('the server sends every %s client its own answers', async (era) => {
    covers('HT-5')
    const clients = await Promise.all(Array.from({ length: 5 }, () => connect(server, era)))
    // All clients start their request ids at the same number.
    const answers = await Promise.all(
      clients.flatMap((client, index) =>
        [1, 2, 3].map(() => dataOf(client.callTool({ name: 'user-get', arguments: { id: index } }))),
      ),
    )
    expect(answers).toEqual(clients.flatMap((_, id) => [1, 2, 3].map(() => ({ id, name: 'Alice' }))))
    await Promise.all(clients.map((client) => client.close()))
  })
})

describe.each(eras)('in the %s era', (era) => {
  it('the server finishes calls in flight before it stops, and refuses new ones', async () => {
    covers('HT-3')
    const server = await serve()
    const client = await connect(server, era)
    await client.callTool({ name: 'journal-take', arguments: {} })
    const underWay = dataOf(
      client.callTool({ name: 'journal-await', arguments: { what: 'todo-create' } }, { timeout: 15_000 }),
    )
    // This call is answered after the server has accepted the one above, which is now in flight.
    await client.callTool({ name: 'status', arguments: {} })
    const stopped = server.stop()
    await expect(client.callTool({ name: 'status', arguments: {} })).rejects.toThrow()
    await server.execute('todo-create', { title: 'the one it waits for' })
    expect(await underWay).toMatchObject({ what: 'todo-create' })
    await stopped
    await expect(fetch(`${server.getUrl()}/health`)).rejects.toThrow()
  })

  it('the server answers the call that stops the server', async () => {
    covers('HT-3')
    const server = await serve()
    const client = await connect(server, era)
    const answer = await client.callTool({ name: 'shop-stop', arguments: {} }, { timeout: 15_000 })
    expect(answer.structuredContent).toMatchObject({ success: true, data: { stopping: true } })
  })

  it('the server aborts the call of a client that disconnects', async () => {
    covers('HT-4')
    const server = await serve()
    const client = await connect(server, era)
    const outcome = client.callTool({ name: 'job-wait', arguments: {} }).then(
      () => 'answered',
      () => 'broken off',
    )
    expect(await server.execute('journal-await', { what: 'waiting' })).toMatchObject({ success: true })
    await client.close()
    expect(await outcome).toBe('broken off')
    expect(await server.execute('journal-await', { what: 'aborted' })).toMatchObject({ success: true })
  })

  it('the server accepts only requests with a known token, and passes the principal to handlers', async () => {
    covers('HT-6')
    const server = await serve({ auth: { tokens: { alice: ALICE, bob: BOB } } })
    await expect(connect(server, era)).rejects.toThrow()
    await expect(connect(server, era, 'not-a-token-at-all-0000')).rejects.toThrow()
    const alice = await connect(server, era, ALICE)
    const bob = await connect(server, era, BOB)
    expect(await dataOf(alice.callTool({ name: 'context-show', arguments: {} }))).toMatchObject({ principal: 'alice' })
    expect(await dataOf(bob.callTool({ name: 'context-show', arguments: {} }))).toMatchObject({ principal: 'bob' })
    await Promise.all([alice.close(), bob.close()])
    const bare = await fetch(`${server.getUrl()}/mcp`, { method: 'POST', body: '{}' })
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect((await fetch(`${server.getUrl()}/health`)).status).toBe(200)
  })
})

describe('a session', () => {
  it('a session can only be used by the principal that opened it', async () => {
    covers('HT-6', 'HT-5')
    const server = await serve({ auth: { tokens: { alice: ALICE, bob: BOB } } })
    const url = new URL(`${server.getUrl()}/mcp`)
    const transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { authorization: `Bearer ${ALICE}` } },
    })
    const client = new Client({ name: 'e2e', version: '1.0.0' })
    await client.connect(transport)
    const ask = (token: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': transport.sessionId ?? '',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/list' }),
      })
    expect((await ask(BOB)).status).toBe(404)
    const own = await ask(ALICE)
    expect(own.status).toBe(200)
    await own.text()
    await client.close()
  })
})

describe('off loopback', () => {
  it('the server refuses to serve without auth on an address other than loopback', async () => {
    covers('HT-6')
    const { options } = serverOptions('shop', 'lazy')
    const server = createMcpServer({ ...options, transport: 'http', host: '0.0.0.0', port: 0 })
    await expect(server.start()).rejects.toMatchObject({ code: 'AUTH_REQUIRED' })
  })
})
