// Clients of both eras through a real nginx with the configurations of docs/deploy.md.

import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { AccessRecord } from '../../src/front/access-log.ts'
import { createHolding, openDoor } from '../../src/front/door.fixture.ts'
import { ask, begin, initialize, modern, open, startSession, toolCall } from '../../src/front/raw-client.fixture.ts'
import { connectClient } from '../../src/front/sdk-client.fixture.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { hasProgram } from '../fixtures/fleet/redis-server.ts'
import { createCertificate } from './certificate.ts'
import { startNginx } from './nginx-server.ts'

const TOKEN = 'alice-0123456789abcdef'
const auth = { tokens: { alice: TOKEN } }
const authorization = `Bearer ${TOKEN}`
/** As in the comment of nginx.conf. */
const http = { allowedHosts: ['tools.example.com'], trustProxy: ['127.0.0.1'] }

async function connect(url: string, era: 'legacy' | 'modern') {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } })
  return connectClient(transport, era)
}

describe.skipIf(!hasProgram('nginx'))('a gateway behind nginx', () => {
  it.each(['legacy', 'modern'] as const)(
    'a gateway behind nginx that passes the Host on serves a %s client',
    async (era) => {
      const door = await openDoor({ auth, http })
      const { port } = await startNginx({ file: 'nginx.conf', gatewayPort: door.port })
      const { call, client } = await connect(`http://127.0.0.1:${port}/mcp`, era)
      expect((await call('text-echo', { a: era })).data).toEqual({ a: era })
      expect((await client.listTools()).tools).not.toHaveLength(0)
    },
  )

  it.each(['legacy', 'modern'] as const)(
    'a gateway behind nginx that sends its own Host and removes the path serves a %s client',
    async (era) => {
      const door = await openDoor({ auth })
      const { port } = await startNginx({ file: 'nginx-plain.conf', gatewayPort: door.port })
      const { call } = await connect(`http://127.0.0.1:${port}/tools/mcp`, era)
      expect((await call('text-echo', { a: era })).data).toEqual({ a: era })
      const headers = { host: 'tools.example.com' }
      expect((await ask(port, { method: 'GET', path: '/tools/health', headers })).status).toBe(200)
    },
  )

  it('a gateway behind nginx refuses a name that is not allowed, and the answer names the key to set', async () => {
    const door = await openDoor({ auth })
    const { port } = await startNginx({ file: 'nginx.conf', gatewayPort: door.port })
    const headers = { host: 'tools.example.com', authorization }
    const answer = await ask(port, { body: initialize(), headers })
    expect(answer.status).toBe(403)
    expect(answer.messages[0]?.error?.data).toMatchObject({
      code: 'HOST_NOT_ALLOWED',
      suggestion: expect.stringContaining('"http": {"allowedHosts": ["tools.example.com"]}'),
    })
    expect((await ask(port, { method: 'GET', path: '/ready', headers })).status).toBe(200)
    const allowed = await openDoor({ auth, http })
    const other = await startNginx({ file: 'nginx.conf', gatewayPort: allowed.port })
    expect((await ask(other.port, { body: initialize(), headers })).status).toBe(200)
  })

  it('a client gets each event of a call through nginx at once, before the call ends', async () => {
    const holding = createHolding()
    const door = await openDoor({ auth, http, commands: [holding.command] })
    const { port } = await startNginx({ file: 'nginx.conf', gatewayPort: door.port })
    const session = await startSession(port, { authorization })
    const legacy = session.begin(toolCall('job-hold', {}, 7, { progressToken: 'p' }))
    const first = await holding.next()
    first.context.progress(1, 2)
    expect((await legacy.find(({ method }) => method === 'notifications/progress')).params).toMatchObject({
      progress: 1,
    })
    expect(legacy.messages.some(({ id }) => id === 7)).toBe(false)
    first.finish()
    expect((await legacy.find(({ id }) => id === 7)).result?.isError ?? false).toBe(false)

    const request = begin(port, modern(toolCall('job-hold', {}, 8, { progressToken: 'q' }), { authorization }))
    const second = await holding.next()
    second.context.progress(1, 2)
    expect((await request.find(({ method }) => method === 'notifications/progress')).params).toMatchObject({
      progress: 1,
    })
    second.finish()
    await request.find(({ id }) => id === 8)
  })

  it('a gateway behind nginx keeps the event stream of a session open, and cancels a call when its client leaves', async () => {
    const holding = createHolding()
    const door = await openDoor({ auth, http, commands: [holding.command] })
    const { port } = await startNginx({ file: 'nginx.conf', gatewayPort: door.port })
    const session = await startSession(port, { authorization })
    const stream = await session.stream()
    expect(stream.status).toBe(200)
    const request = begin(port, modern(toolCall('job-hold', {}, 9, { progressToken: 'r' }), { authorization }))
    const call = await holding.next()
    call.context.progress(1)
    await request.find(({ method }) => method === 'notifications/progress')
    request.hangUp()
    await call.aborted
  })

  it('a gateway learns the address of the client from nginx only if it trusts this proxy', async () => {
    const records: AccessRecord[] = []
    const onAccess = (record: AccessRecord) => void records.push(record)
    const door = await openDoor({ auth, http, onAccess })
    const { port } = await startNginx({ file: 'nginx.conf', gatewayPort: door.port })
    const headers = { host: 'tools.example.com', authorization, 'x-forwarded-for': '192.0.2.66' }
    await ask(port, { body: initialize(), headers })
    // nginx appends the address of its client, 127.0.0.1. This is a trusted proxy, so the gateway uses the address before it.
    await expect.poll(() => records.map(({ client }) => client)).toEqual(['192.0.2.66'])
    const untrusting = await openDoor({ auth, http: { ...http, trustProxy: false }, onAccess })
    const other = await startNginx({ file: 'nginx.conf', gatewayPort: untrusting.port })
    await ask(other.port, { body: initialize(), headers })
    await expect.poll(() => records.at(-1)?.client).toBe('127.0.0.1')
  })

  it('a gateway behind nginx with TLS answers a request without a token with 401', async () => {
    const home = homeForTest()
    const tls = createCertificate(home.at('tls'))
    const door = await openDoor({ auth, http })
    const { port } = await startNginx({ file: 'nginx.conf', gatewayPort: door.port, tls })
    const status = await new Promise((resolve, reject) => {
      const options = { port, path: '/mcp', ca: readFileSync(tls.cert), servername: 'tools.example.com' }
      const sent = get({ host: '127.0.0.1', headers: { host: 'tools.example.com' }, ...options }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.on('error', reject)
    })
    expect(status).toBe(401)
  })

  it('a gateway behind nginx refuses a body that is too long with 413, or the connection breaks', async () => {
    const door = await openDoor({ auth, http })
    const { port } = await startNginx({ file: 'nginx.conf', gatewayPort: door.port })
    const answer = await open(port, { body: 'x'.repeat(5 * 1024 * 1024), headers: { authorization } }).catch(
      () => undefined,
    )
    expect(answer?.status ?? 413).toBe(413)
  })
})
