// Who is let in: Host, Origin, token, page.

import { describe, expect, it } from 'vitest'
import { success } from '../core/result.ts'
import { giving, openDoor } from './door.fixture.ts'
import { ask, connectRaw, initialize, modern, startSession, toolCall } from './raw-client.fixture.ts'
import { connectHttp, eras } from './sdk-client.fixture.ts'

const ALICE = 'alice-0123456789abcdef'
const BOB = 'bob-0123456789abcdefgh'
const auth = { tokens: { alice: ALICE, bob: BOB } }

const whoami = giving('who-am-i', ({ caller: { principal, era, transport } }) => success({ principal, era, transport }))

/** Every way to ask for something, so that no route is forgotten. */
const routes = [
  ['GET /health', { method: 'GET', path: '/health' }],
  ['GET /ready', { method: 'GET', path: '/ready' }],
  ['GET /mcp', { method: 'GET' }],
  ['DELETE /mcp', { method: 'DELETE' }],
  ['POST /mcp, legacy', { body: initialize() }],
  ['POST /mcp, modern', modern(toolCall('text-echo'))],
  ['OPTIONS /mcp', { method: 'OPTIONS' }],
  ['GET /nowhere', { method: 'GET', path: '/nowhere' }],
  ['PUT /mcp', { method: 'PUT', body: '{}' }],
] as const

describe.each(routes)('%s', (_route, wanted) => {
  it.each([
    'evil.example',
    'evil.example:3100',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '0.0.0.0',
    '[::2]',
  ])('is refused where the Host is %s, as after DNS rebinding', async (host) => {
    const { port } = await openDoor({ auth })
    const answer = await ask(port, { ...wanted, headers: { ...('headers' in wanted ? wanted.headers : {}), host } })
    expect(answer.status).toBe(403)
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
  })

  it.each(['http://evil.example', 'https://localhost.evil.example', 'null', 'not an origin', 'file://'])(
    'is refused where the Origin is %j',
    async (origin) => {
      const { port } = await openDoor({ auth })
      const headers = { ...('headers' in wanted ? wanted.headers : {}), origin }
      expect((await ask(port, { ...wanted, headers })).status).toBe(403)
    },
  )
})

describe('Host', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])('may be %s, with any port or none', async (host) => {
    const { port } = await openDoor()
    for (const name of [host, `${host}:${port}`, `${host}:1`]) {
      expect((await ask(port, { method: 'GET', path: '/health', headers: { host: name } })).status).toBe(200)
    }
  })

  it.each([
    ['none at all', 'GET /health HTTP/1.0\r\n\r\n', '400'],
    ['none in HTTP/1.1', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', '400'],
    ['one that is no name', 'GET /health HTTP/1.1\r\nHost: %%%\r\n\r\n', '40'],
    ...[
      'evil.example@localhost',
      'localhost@evil.example',
      'localhost/evil.example',
      'localhost?evil.example',
      'localhost#evil.example',
      'localhost\\evil.example',
      'localhost evil.example',
      'localhost\tevil.example',
      '',
      ' ',
    ].map((host) => [`the name '${host}'`, `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`, '400']),
    ...[
      ['evil.example', 'localhost'],
      ['localhost', 'evil.example'],
      ['localhost', 'localhost'],
      ['', 'localhost'],
    ].map(([one, other]) => [
      `'${one}' beside '${other}'`,
      `GET /health HTTP/1.1\r\nHost: ${one}\r\nhost: ${other}\r\nConnection: close\r\n\r\n`,
      '400',
    ]),
    ...[
      ['http://evil.example@localhost/health', 'evil.example'],
      ['http://localhost@evil.example/health', 'localhost'],
      ['localhost/health', 'localhost'],
      ['http:///health', 'localhost'],
    ].map(([target, host]) => [
      `${host} for the target ${target}`,
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      '400',
    ]),
    ...[
      ['http://evil.example/health', 'localhost'],
      ['http://localhost/health', 'evil.example'],
      ['http://evil.example/health', 'evil.example'],
    ].map(([target, host]) => [
      `${host} for the target ${target}`,
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      '403',
    ]),
  ])('is refused where there is %s', async (_what, bytes, status) => {
    const { port, front } = await openDoor()
    const { socket, seen, received } = await connectRaw(port)
    socket.write(bytes)
    await seen('HTTP/1.1')
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
    expect(front.errors).toEqual([])
  })

  it('may stand in the request target as well', async () => {
    const { port } = await openDoor()
    const { socket, seen, received } = await connectRaw(port)
    socket.write(`GET http://LOCALHOST:${port}/health HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)
    await seen('ok')
    expect(received()).toMatch(/^HTTP\/1.1 200/)
  })

  it.each(['127.0.0.2', '::1', '[::1]'])('may be the address that it listens on: %s', async (host) => {
    const { port } = await openDoor({ host })
    const bare = host.replace(/[[\]]/g, '')
    const name = bare.includes(':') ? `[${bare}]:${port}` : `${bare}:${port}`
    const answer = await ask(port, { host: bare, method: 'GET', path: '/health', headers: { host: name } })
    expect(answer.status).toBe(200)
  })

  it('and Origin are looked at before the body is', async () => {
    const { port } = await openDoor({ maxBodyBytes: 1_000 })
    const body = 'x'.repeat(2_000)
    expect((await ask(port, { body, headers: { host: 'evil.example' } })).status).toBe(403)
    expect((await ask(port, { body, headers: { origin: 'http://evil.example' } })).status).toBe(403)
  })
})

describe('a token', () => {
  it('is not needed for /health and /ready, which say only their state', async () => {
    const { port } = await openDoor({ auth })
    const health = await ask(port, { method: 'GET', path: '/health' })
    const ready = await ask(port, { method: 'GET', path: '/ready' })
    expect([health.status, health.text]).toEqual([200, '{"status":"ok"}'])
    expect([ready.status, ready.text]).toEqual([200, '{"status":"ready"}'])
  })

  it.each([
    ['POST, legacy', { body: initialize() }],
    ['POST, modern', modern(toolCall('text-echo'))],
    ['POST of nothing', {}],
    ['POST of malformed JSON', { body: '{' }],
    ['GET', { method: 'GET' }],
    ['DELETE', { method: 'DELETE' }],
  ])('is needed for %s', async (_what, wanted) => {
    const { port } = await openDoor({ auth })
    for (const authorization of [undefined, 'Bearer wrong', `Basic ${ALICE}`, 'Bearer']) {
      const headers = { ...('headers' in wanted ? wanted.headers : {}), authorization }
      const answer = await ask(port, { ...wanted, headers })
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      expect(answer.messages[0]?.error?.data).toMatchObject({ code: 'UNAUTHORIZED' })
    }
  })

  it('is never repeated in an answer', async () => {
    const { port } = await openDoor({ auth })
    const answer = await ask(port, { body: initialize(), headers: { authorization: 'Bearer my-wrong-secret' } })
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain('my-wrong-secret')
  })

  it.each(eras)('names the principal that a handler sees, and never itself (%s)', async (era) => {
    const seen: unknown[] = []
    const look = giving('who-looks', (context) => {
      seen.push(context)
      return success(null)
    })
    const { port } = await openDoor({ auth, commands: [whoami, look] })
    for (const [name, token] of [
      ['alice', ALICE],
      ['bob', BOB],
    ] as const) {
      const { call } = await connectHttp(port, era, token)
      expect((await call('who-am-i')).data).toEqual({ principal: name, era, transport: 'http' })
      await call('who-looks')
      expect(JSON.stringify(seen)).not.toContain(token)
    }
  })

  it.each(eras)('that is missing keeps the official client out (%s)', async (era) => {
    const { port } = await openDoor({ auth })
    await expect(connectHttp(port, era)).rejects.toThrow(/401|unauthori/i)
    await expect(connectHttp(port, era, 'wrong-token-0123456789')).rejects.toThrow(/401|unauthori/i)
  })

  it.each(eras)('is not needed where there is no auth: everyone is anonymous (%s)', async (era) => {
    const { port } = await openDoor({ commands: [whoami] })
    expect((await (await connectHttp(port, era)).call('who-am-i')).data).toMatchObject({ principal: 'anonymous' })
  })

  it('whose check fails gives 500, tells the operator and nothing to the caller', async () => {
    const verify = () => Promise.reject(new Error('the directory at 10.0.0.7 is down'))
    const { port, front } = await openDoor({ auth: { verify } })
    const answer = await ask(port, { body: initialize(), headers: { authorization: 'Bearer x' } })
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('10.0.0.7')
    expect(front.errors.map((error) => error.message)).toEqual(['the directory at 10.0.0.7 is down'])
  })
})

describe('a page', () => {
  const origin = 'https://app.example.com'
  const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }

  it('that is allowed may ask first, without a token, and then call', async () => {
    const { port } = await openDoor({ auth, cors: origin })
    const asked = await ask(port, preflight)
    expect(asked.status).toBe(204)
    expect(asked.headers['access-control-allow-origin']).toBe(origin)
    expect(asked.headers['access-control-allow-headers']).toContain('authorization')
    const headers = { origin, authorization: `Bearer ${ALICE}` }
    const session = await startSession(port, headers)
    const called = await session.ask(toolCall('text-echo', { from: 'page' }))
    expect(called.headers['access-control-allow-origin']).toBe(origin)
    expect(called.headers['access-control-expose-headers']).toContain('mcp-session-id')
    expect(called.messages[0]?.result?.structuredContent?.data).toEqual({ from: 'page' })
  })

  it('that is allowed can read why it is refused', async () => {
    const { port } = await openDoor({ auth, cors: origin, maxBodyBytes: 1_000 })
    const refused = await ask(port, { body: initialize(), headers: { origin } })
    const headers = { origin, authorization: `Bearer ${ALICE}` }
    const tooLarge = await ask(port, { body: 'x'.repeat(2_000), headers })
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, origin])
    expect([tooLarge.status, tooLarge.headers['access-control-allow-origin']]).toEqual([413, origin])
  })

  it('of this machine is let in but shown nothing, unless cors says so', async () => {
    const { port } = await openDoor()
    const asked = await ask(port, { ...preflight, headers: { ...preflight.headers, origin: 'http://localhost:5173' } })
    expect(asked.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('of elsewhere is refused its first question', async () => {
    const { port } = await openDoor({ cors: true })
    const asked = await ask(port, preflight)
    expect(asked.status).toBe(403)
    expect(asked.headers).not.toHaveProperty('access-control-allow-origin')
  })
})
