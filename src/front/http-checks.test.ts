// The checks of the HTTP door: Host, Origin, token and CORS.

import { describe, expect, it } from 'vitest'
import { success } from '../core/result.ts'
import { commandReturning, openDoor } from './door.fixture.ts'
import { ask, connectRaw, initialize, modern, startSession, toolCall } from './raw-client.fixture.ts'
import { connectHttp, eras } from './sdk-client.fixture.ts'

const ALICE = 'alice-0123456789abcdef'
const BOB = 'bob-0123456789abcdefgh'
const auth = { tokens: { alice: ALICE, bob: BOB } }

const whoami = commandReturning('who-am-i', ({ caller: { principal, era, transport } }) =>
  success({ principal, era, transport }),
)

/** Requests other than those for /health and /ready. Each check of Host and Origin is tested with all of them. */
const routes = [
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
  ])('refuses the request when the Host is %s, as after DNS rebinding', async (host) => {
    const { port } = await openDoor({ auth })
    const answer = await ask(port, { ...wanted, headers: { ...('headers' in wanted ? wanted.headers : {}), host } })
    expect(answer.status).toBe(403)
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
  })

  it.each(['http://evil.example', 'https://localhost.evil.example', 'null', 'not an origin', 'file://'])(
    'refuses the request when the Origin is %j',
    async (origin) => {
      const { port } = await openDoor({ auth })
      const headers = { ...('headers' in wanted ? wanted.headers : {}), origin }
      expect((await ask(port, { ...wanted, headers })).status).toBe(403)
    },
  )
})

describe('Host', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])(
    'accepts the Host %s with any port or none',
    async (host) => {
      const { port } = await openDoor()
      for (const name of [host, `${host}:${port}`, `${host}:1`]) {
        expect((await ask(port, { body: initialize(), headers: { host: name } })).status).toBe(200)
      }
    },
  )

  it.each([
    ['no Host in HTTP/1.0', 'GET /mcp HTTP/1.0\r\n\r\n', '400'],
    ['no Host in HTTP/1.1', 'GET /mcp HTTP/1.1\r\nConnection: close\r\n\r\n', '400'],
    ['characters that a name cannot have', 'GET /mcp HTTP/1.1\r\nHost: %%%\r\n\r\n', '40'],
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
    ].map((host) => [`the name '${host}'`, `GET /mcp HTTP/1.1\r\nHost: ${host}\r\n\r\n`, '400']),
    ...[
      ['evil.example', 'localhost'],
      ['localhost', 'evil.example'],
      ['localhost', 'localhost'],
      ['', 'localhost'],
    ].map(([one, other]) => [
      `'${one}' beside '${other}'`,
      `GET /mcp HTTP/1.1\r\nHost: ${one}\r\nhost: ${other}\r\nConnection: close\r\n\r\n`,
      '400',
    ]),
    ...[
      ['http://evil.example@localhost/mcp', 'evil.example'],
      ['http://localhost@evil.example/mcp', 'localhost'],
      ['localhost/mcp', 'localhost'],
      ['http:///mcp', 'localhost'],
    ].map(([target, host]) => [
      `${host} for the target ${target}`,
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      '400',
    ]),
    ...[
      ['http://evil.example/mcp', 'localhost'],
      ['http://localhost/mcp', 'evil.example'],
      ['http://evil.example/mcp', 'evil.example'],
    ].map(([target, host]) => [
      `${host} for the target ${target}`,
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      '403',
    ]),
  ])('refuses a request with an invalid Host: %s', async (_what, bytes, status) => {
    const { port, front } = await openDoor()
    const { socket, seen, received } = await connectRaw(port)
    socket.write(bytes)
    await seen('HTTP/1.1')
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
    expect(front.errors).toEqual([])
  })

  it('accepts a matching host in the request target', async () => {
    const { port } = await openDoor()
    const { socket, seen, received } = await connectRaw(port)
    socket.write(
      `OPTIONS http://LOCALHOST:${port}/mcp HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
    )
    await seen('allow')
    expect(received()).toMatch(/^HTTP\/1.1 204/)
  })

  it.each(['127.0.0.2', '::1', '[::1]'])(
    'accepts the address that the server listens on as the Host: %s',
    async (host) => {
      const { port } = await openDoor({ host })
      const bare = host.replace(/[[\]]/g, '')
      const name = bare.includes(':') ? `[${bare}]:${port}` : `${bare}:${port}`
      const answer = await ask(port, { host: bare, body: initialize(), headers: { host: name } })
      expect(answer.status).toBe(200)
    },
  )

  it('checks Host and Origin before it reads the body', async () => {
    const { port } = await openDoor({ maxBodyBytes: 1_000 })
    const body = 'x'.repeat(2_000)
    expect((await ask(port, { body, headers: { host: 'evil.example' } })).status).toBe(403)
    expect((await ask(port, { body, headers: { origin: 'http://evil.example' } })).status).toBe(403)
  })

  it.each(['/health', '/ready'])(
    'answers %s for any Host and any Origin, because probes send any of them',
    async (path) => {
      const { port } = await openDoor({ auth })
      for (const headers of [{ host: 'evil.example' }, { host: '10.0.0.7:3100' }, { origin: 'http://evil.example' }]) {
        const answer = await ask(port, { method: 'GET', path, headers })
        expect(answer.status).toBe(200)
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
      }
      const { socket, seen, received } = await connectRaw(port)
      socket.write(`GET ${path} HTTP/1.0\r\n\r\n`)
      await seen('status')
      expect(received()).toMatch(/^HTTP\/1.1 200/)
    },
  )

  it('names the refused Host or Origin and the key that allows it, but suggests no key for the Origin null', async () => {
    const { port } = await openDoor({ auth })
    const host = await ask(port, { body: initialize(), headers: { host: 'tools.example.com:443' } })
    const origin = await ask(port, { body: initialize(), headers: { origin: 'https://app.example.com' } })
    const opaque = await ask(port, { body: initialize(), headers: { origin: 'null' } })
    expect(host.messages[0]?.error).toEqual({
      code: -32000,
      message: "Requests for the host 'tools.example.com' are refused: it is not a name of this server",
      data: {
        code: 'HOST_NOT_ALLOWED',
        suggestion:
          'If it is one, set "http": {"allowedHosts": ["tools.example.com"]} in the configuration of the server.',
      },
    })
    expect(origin.messages[0]?.error?.data).toEqual({
      code: 'ORIGIN_NOT_ALLOWED',
      suggestion:
        'If you trust these pages, set "http": {"allowedOrigins": ["https://app.example.com"]} in the configuration of the server.',
    })
    expect(opaque.messages[0]?.error?.data).toMatchObject({
      code: 'ORIGIN_NOT_ALLOWED',
      suggestion: expect.not.stringContaining('allowedOrigins'),
    })
  })
})

describe('authentication', () => {
  it('needs no token for /health and /ready, which return only their state', async () => {
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
  ])('needs a token for %s', async (_what, wanted) => {
    const { port } = await openDoor({ auth })
    for (const authorization of [undefined, 'Bearer wrong', `Basic ${ALICE}`, 'Bearer']) {
      const headers = { ...('headers' in wanted ? wanted.headers : {}), authorization }
      const answer = await ask(port, { ...wanted, headers })
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      expect(answer.messages[0]?.error?.data).toMatchObject({ code: 'UNAUTHORIZED' })
    }
  })

  it('never repeats the token in a response', async () => {
    const { port } = await openDoor({ auth })
    const answer = await ask(port, { body: initialize(), headers: { authorization: 'Bearer my-wrong-secret' } })
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain('my-wrong-secret')
  })

  it.each(eras)('gives the principal of the token, but not the token, to a handler (%s)', async (era) => {
    const seen: unknown[] = []
    const look = commandReturning('who-looks', (context) => {
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

  it.each(eras)('rejects the official client without a valid token (%s)', async (era) => {
    const { port } = await openDoor({ auth })
    await expect(connectHttp(port, era)).rejects.toThrow(/401|unauthori/i)
    await expect(connectHttp(port, era, 'wrong-token-0123456789')).rejects.toThrow(/401|unauthori/i)
  })

  it.each(eras)('treats every caller as anonymous when auth is not configured (%s)', async (era) => {
    const { port } = await openDoor({ commands: [whoami] })
    expect((await (await connectHttp(port, era)).call('who-am-i')).data).toMatchObject({ principal: 'anonymous' })
  })

  it('answers 500 when the token check throws, and gives the reason only to the operator', async () => {
    const verify = () => Promise.reject(new Error('the directory at 10.0.0.7 is down'))
    const { port, front } = await openDoor({ auth: { verify } })
    const answer = await ask(port, { body: initialize(), headers: { authorization: 'Bearer x' } })
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('10.0.0.7')
    expect(front.errors.map((error) => error.message)).toEqual(['the directory at 10.0.0.7 is down'])
  })
})

describe('CORS', () => {
  const origin = 'https://app.example.com'
  const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }

  it('answers the preflight request of an allowed page without a token, and then its call', async () => {
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

  it('lets an allowed page read the reason of a refusal', async () => {
    const { port } = await openDoor({ auth, cors: origin, maxBodyBytes: 1_000 })
    const refused = await ask(port, { body: initialize(), headers: { origin } })
    const headers = { origin, authorization: `Bearer ${ALICE}` }
    const tooLarge = await ask(port, { body: 'x'.repeat(2_000), headers })
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, origin])
    expect([tooLarge.status, tooLarge.headers['access-control-allow-origin']]).toEqual([413, origin])
  })

  it('sends no CORS headers to a page of this machine unless cors is set', async () => {
    const { port } = await openDoor()
    const asked = await ask(port, { ...preflight, headers: { ...preflight.headers, origin: 'http://localhost:5173' } })
    expect(asked.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('refuses the preflight request of a foreign page', async () => {
    const { port } = await openDoor({ cors: true })
    const asked = await ask(port, preflight)
    expect(asked.status).toBe(403)
    expect(asked.headers).not.toHaveProperty('access-control-allow-origin')
  })
})
