// The public address of a gateway, over real sockets: names, pages, the path before /mcp, and certificates.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, type RequestOptions, request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { openDoor } from '../../src/front/door.fixture.ts'
import { ask, initialize, modern, open, startSession, toolCall } from '../../src/front/raw-client.fixture.ts'
import { gatewayForTest } from '../e2e/gateway/harness.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { fixtureServer, missing } from '../e2e/gateway/servers.ts'
import { createCertificate } from './certificate.ts'

const TOKEN = 'alice-0123456789abcdef'
const auth = { tokens: { alice: TOKEN } }
const authorization = `Bearer ${TOKEN}`
const http = {
  allowedHosts: ['tools.example.com', '*.team.example.com', 'only-port.example.com:8443', '[2001:db8::1]'],
  allowedOrigins: ['https://app.example.com', 'http://localhost.example.com:8080', 'chrome-extension://abcdef'],
}
const discovery = { servers: { known: { ...missing, tools: [{ name: 'x' }] } } }

describe('the Host of a request', () => {
  it.each([
    ['tools.example.com', 200],
    ['TOOLS.Example.COM', 200],
    ['tools.example.com:443', 200],
    ['tools.example.com:8080', 200],
    ['a.team.example.com', 200],
    ['a.b.team.example.com:1', 200],
    ['only-port.example.com:8443', 200],
    ['[2001:db8::1]', 200],
    ['[2001:DB8:0::1]:80', 200],
    ['localhost', 200],
    ['127.0.0.1:9', 200],
    ['team.example.com', 403],
    ['evilteam.example.com', 403],
    ['only-port.example.com', 403],
    ['only-port.example.com:80', 403],
    ['tools.example.com.evil.example', 403],
    ['xtools.example.com', 403],
    ['tools.example.com.', 403],
    ['example.com', 403],
    ['[2001:db8::2]', 403],
    ['tools.example.com@evil.example', 400],
    ['tools.example.com/x', 400],
    ['tools.example.com evil.example', 400],
  ])(
    'a request with the Host %s gets %i in both eras, and an answer with 403 names the setting to change',
    async (host, status) => {
      const { port } = await openDoor({ auth, http })
      const legacy = await ask(port, { body: initialize(), headers: { host, authorization } })
      const plain = modern(toolCall('text-echo', { a: 1 }), { host, authorization })
      expect([legacy.status, (await ask(port, plain)).status]).toEqual([status, status])
      if (status !== 403) return
      const name = new URL(`http://${host}`).hostname
      expect(legacy.messages[0]?.error?.data).toEqual({
        code: 'HOST_NOT_ALLOWED',
        suggestion: expect.stringContaining(`"http": {"allowedHosts": ["${name}"]}`),
      })
    },
  )

  it('a request to an allowed name needs a token too', async () => {
    const { port } = await openDoor({ auth, http })
    expect((await ask(port, { body: initialize(), headers: { host: 'tools.example.com' } })).status).toBe(401)
    await expect(openDoor({ http })).rejects.toThrow(/'tools.example.com' without `auth`/)
    const loopback = await openDoor({ http: { allowedHosts: ['localhost:8080', '127.0.0.9'] } })
    expect((await ask(loopback.port, { body: initialize(), headers: { host: '127.0.0.9' } })).status).toBe(200)
  })

  it('X-Forwarded-Host counts only if the proxy is trusted, and its host must then be allowed', async () => {
    const named = (host: string) => ({ body: initialize(), headers: { authorization, 'x-forwarded-host': host } })
    for (const [trustProxy, host, status] of [
      [false, 'evil.example', 200],
      [['10.0.0.0/8'], 'evil.example', 200],
      [true, 'evil.example', 403],
      [['127.0.0.1'], 'evil.example', 403],
      [true, 'tools.example.com', 200],
      [true, 'evil.example, tools.example.com', 200],
      [true, 'tools.example.com#@evil.example', 400],
      [true, 'tools.example.com/evil', 400],
    ] as const) {
      const trusted = typeof trustProxy === 'boolean' ? trustProxy : [...trustProxy]
      const { port } = await openDoor({ auth, http: { ...http, trustProxy: trusted } })
      expect((await ask(port, named(host))).status).toBe(status)
      // A header of a proxy never makes a wrong Host valid.
      const both = { ...named('tools.example.com').headers, host: 'evil.example' }
      expect((await ask(port, { body: initialize(), headers: both })).status).toBe(403)
    }
  })
})

describe('the Origin of a request', () => {
  it.each([
    ['https://app.example.com', 200],
    ['HTTPS://app.example.com', 200],
    ['https://app.example.com:443', 200],
    ['http://localhost.example.com:8080', 200],
    ['chrome-extension://abcdef', 200],
    ['http://app.example.com', 403],
    ['https://app.example.com:8443', 403],
    ['https://x.app.example.com', 403],
    ['https://app.example.com.evil.example', 403],
    ['https://other.example.com', 403],
    ['http://localhost.example.com', 403],
    ['chrome-extension://other', 403],
    ['null', 403],
    ['', 403],
  ])('a request with the Origin %s gets %i, and an allowed page may read the answer', async (origin, status) => {
    const { port } = await openDoor({ auth, http })
    const headers = { origin, authorization, host: 'tools.example.com' }
    const answer = await ask(port, { body: initialize(), headers })
    const preflight = await ask(port, { method: 'OPTIONS', headers: { ...headers, authorization: undefined } })
    expect([answer.status, preflight.status]).toEqual(status === 200 ? [200, 204] : [status, status])
    const shown = status === 200 ? origin : undefined
    expect(answer.headers['access-control-allow-origin']).toBe(shown)
    expect(preflight.headers['access-control-allow-origin']).toBe(shown)
  })

  it.each([
    ['https://tools.example.com', 200],
    ['https://tools.example.com:8443', 403],
    ['https://evil.example', 403],
  ])(
    'the own address of the gateway is allowed as an origin, and other addresses are not: %s gets %i, without CORS headers',
    async (origin, status) => {
      const { port } = await openDoor({ auth, http })
      const answer = await ask(port, {
        body: initialize(),
        headers: { origin, authorization, host: 'tools.example.com' },
      })
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, undefined])
    },
  )

  it('the origin of a page of this machine is allowed, without CORS headers', async () => {
    const { port } = await openDoor({ auth, http })
    const headers = { origin: 'http://localhost:5173', authorization }
    const answer = await ask(port, { body: initialize(), headers })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, undefined])
  })
})

describe('the base path', () => {
  it.each(['/tools', '/tools/', '/a/b'])('the base path %s comes before every path', async (basePath) => {
    const base = basePath.replace(/\/$/, '')
    const { port } = await openDoor({ auth, http: { basePath } })
    const status = async (path: string) => (await ask(port, { method: 'GET', path })).status
    expect(await status(`${base}/health`)).toBe(200)
    expect(await status(`${base}/ready`)).toBe(200)
    expect(await status(`${base}/mcp`)).toBe(401)
    for (const path of ['/mcp', '/health', `${base}/x/mcp`, `${base}x/mcp`, base]) expect(await status(path)).toBe(404)
    expect((await ask(port, { method: 'GET', path: '/mcp' })).text).toContain(`MCP is at ${base}/mcp`)
    const call = modern(toolCall('text-echo', { a: 1 }), { authorization })
    expect((await ask(port, { ...call, path: `${base}/mcp` })).messages[0]?.result?.structuredContent?.data).toEqual({
      a: 1,
    })
  })

  it.each(['tools', '/a//b', '/../x', '/a b', '/a?b', '/%2e%2e'])(
    'the base path %s is not accepted',
    async (basePath) => {
      await expect(openDoor({ http: { basePath } })).rejects.toThrow(/http\.basePath/)
    },
  )

  it('the base path is part of the address that the gateway prints, and both eras work there', async () => {
    const config = { http: { basePath: '/tools' }, discovery: { servers: { notes: fixtureServer('notes') } } }
    const gateway = await gatewayForTest({ door: 'http', config })
    expect(new URL(gateway.url).pathname).toBe('/tools/mcp')
    for (const era of ['legacy', 'modern'] as const) {
      const client = await gateway.connect({ era })
      expect((await client.ask('search_tools', { query: 'list' })).results).not.toHaveLength(0)
    }
  })
})

describe('a running gateway', () => {
  it('a running gateway follows an edit of the allowed names, and keeps streams open', async () => {
    const tokens = { alice: TOKEN }
    const gateway = await gatewayForTest({ door: 'http', config: { http: { tokens }, discovery } })
    const port = Number(new URL(gateway.url).port)
    const status = async (host: string, origin?: string) =>
      (await ask(port, { body: initialize(), headers: { host, origin, authorization } })).status
    const session = await startSession(port, { authorization })
    const stream = await session.stream()
    let isStreamOpen = true
    void stream.ended.then(() => (isStreamOpen = false))
    expect(await status('tools.example.com')).toBe(403)
    gateway.edit({ http: { tokens, ...http }, discovery })
    await expect.poll(() => status('tools.example.com')).toBe(200)
    expect(await status('tools.example.com', 'https://app.example.com')).toBe(200)
    expect(await status('other.example.com')).toBe(403)
    gateway.edit({ http: { tokens }, discovery })
    await expect.poll(() => status('tools.example.com')).toBe(403)
    expect(isStreamOpen).toBe(true)
    expect((await session.ask(toolCall('search_tools', { query: 'x' }))).status).toBe(200)
  })

  it('a gateway does not start without tokens for a public name, and keeps the old names when an edit adds one', async () => {
    const args = ['serve', '--http', '--port', '0', '--no-auth', '--config']
    const home = homeForTest()
    const start = (given: object) => {
      const file = home.write('gateway.json', { http: given, discovery })
      return gatewayForTest({ door: 'http', home, args: [...args, file] })
    }
    await expect(start(http)).rejects.toThrow(/--no-auth works only on a loopback address.*tools\.example\.com/)
    const gateway = await start({})
    gateway.edit({ http, discovery })
    await expect.poll(() => gateway.stderr).toContain("Serving on 'tools.example.com' without `auth`")
    const port = Number(new URL(gateway.url).port)
    expect((await ask(port, { body: initialize(), headers: { host: 'tools.example.com' } })).status).toBe(403)
  })

  it.each([
    [{ http: { allowedHosts: ['https://tools.example.com'] } }, /http\.allowedHosts\[0\].*without 'https:\/\/'/],
    [{ http: { allowedOrigins: ['app.example.com'] } }, /http\.allowedOrigins\[0\].*'https:\/\/app\.example\.com'/],
    [{ http: { trustProxy: ['10.0.0.0/33'] } }, /http\.trustProxy\[0\].*10\.0\.0\.0\/8/],
    [{ http: { basePath: 'tools' } }, /http\.basePath.*'\/tools'/],
    [{ http: { tls: { cert: 'x' } } }, /http\.tls\.key/],
    [{ http: { tsl: {} } }, /http\.tsl: Unknown key 'tsl'/],
    [{ http: { tokens: 5 } }, /http\.tokens: Expected an object, found a number/],
    [{ http: 5 }, /http: Expected an object, found a number/],
    [{ htpp: { tls: {} } }, /htpp: Unknown key 'htpp'. Did you mean 'http'\?/],
    [{ '\u04bbttp': { tls: {} } }, /Unknown key/],
    [{ '\uff48\uff54\uff54\uff50': { tls: {} } }, /Unknown key/],
    [{ 'http.tls': {} }, /Unknown key 'http\.tls'/],
    [{ HTTPS: { tls: {} } }, /HTTPS: Unknown key 'HTTPS'. Did you mean 'http'\?/],
    [{ discovery: { ...discovery, http: { tls: {} } } }, /discovery\.http: Unknown key 'http'/],
  ])(
    'a gateway over HTTP does not start with %j, because its address could be less safe than the user wants',
    async (given, reason) => {
      await expect(gatewayForTest({ door: 'http', config: { discovery, ...given } })).rejects.toThrow(reason)
    },
  )

  it.each([
    ['an unknown key at the top level', { web: { tls: {} } }, /web: Unknown key 'web'/],
    ['a file that is not JSON', '{ "http": {,} }', /gateway\.json/],
  ])(
    'with %s, a gateway starts on loopback, but not on an address of a network, because the setting of a certificate may be lost',
    async (_, given, reason) => {
      const home = homeForTest()
      const file = home.write('gateway.json', typeof given === 'string' ? given : { discovery, ...given })
      const start = (host: string) => {
        const args = ['serve', '--http', '--port', '0', '--host', host, '--config', file]
        return gatewayForTest({ door: 'http', home, args })
      }
      await expect(start('0.0.0.0')).rejects.toThrow(reason)
      expect((await start('127.0.0.1')).stderr).toMatch(reason)
    },
  )
})

describe('a certificate', () => {
  const agentOptions = (ca: string): RequestOptions => ({ ca: readFileSync(ca), servername: 'tools.example.com' })

  it('the gateway serves both eras over TLS, changes its certificate without a restart, and survives a broken file', async () => {
    const home = homeForTest()
    const [first, second] = [createCertificate(home.at('first')), createCertificate(home.at('second'))]
    const tls = { cert: home.at('tls.crt'), key: home.at('tls.key') }
    const use = ({ cert, key }: typeof first) => {
      copyFileSync(cert, tls.cert)
      copyFileSync(key, tls.key)
    }
    use(first)
    const config = { http: { tls, tokens: { alice: TOKEN }, allowedHosts: ['tools.example.com'] }, discovery }
    const gateway = await gatewayForTest({ door: 'http', home, config })
    expect(gateway.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/mcp$/)

    const kept = new Agent({ keepAlive: true, maxSockets: 1 })
    const before = await post(gateway.url, { ...agentOptions(first.cert), agent: kept })
    expect([before.status, before.subject]).toEqual([200, 'first'])
    const plain = await fetch(gateway.url.replace('https', 'http')).catch((error: Error) => error.message)
    expect(plain).toBe('fetch failed')

    use(second)
    const fresh = async () => (await post(gateway.url, agentOptions(second.cert)).catch(() => undefined))?.subject
    await expect.poll(fresh).toBe('second')
    const after = await post(gateway.url, { ...agentOptions(first.cert), agent: kept })
    expect([after.status, after.localPort]).toEqual([200, before.localPort])

    writeFileSync(tls.cert, 'not a certificate')
    await expect.poll(() => gateway.stderr).toContain('http.tls: the changed certificate is not used')
    expect(await fresh()).toBe('second')
    kept.destroy()

    const call = modern(toolCall('search_tools', { query: 'x' }))
    const answer = await post(gateway.url, agentOptions(second.cert), call.body, call.headers)
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([200, undefined])
  })

  it('a key that does not match the certificate, or that does not exist, ends the start with the reason', async () => {
    const home = homeForTest()
    const { cert } = createCertificate(home.at('one'))
    const { key } = createCertificate(home.at('other'))
    const start = (tls: object) => gatewayForTest({ door: 'http', home, config: { http: { tls }, discovery } })
    await expect(start({ cert, key })).rejects.toThrow(/http\.tls: .*key values mismatch/)
    await expect(start({ cert, key: home.at('none') })).rejects.toThrow(/http\.tls: ENOENT/)
  })
})

it('a client can open an event stream under an allowed name, and /health answers under any name', async () => {
  const { port } = await openDoor({ auth, http })
  const session = await startSession(port, { authorization, host: 'tools.example.com' })
  const stream = await session.stream()
  expect(stream.status).toBe(200)
  const second = await open(port, { method: 'GET', path: '/health', headers: { host: 'pod-7.internal' } })
  expect(second.status).toBe(200)
})

interface TlsAnswer {
  readonly status: number | undefined
  readonly text: string
  /** The common name of the certificate of the server. */
  readonly subject: string
  readonly localPort: number | undefined
}

function post(url: string, options: RequestOptions, body: unknown = initialize(), more: object = {}) {
  const headers = {
    host: 'tools.example.com',
    authorization,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...more,
  }
  return new Promise<TlsAnswer>((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, ...options }, (response) => {
      // Connections of node:https are TLS sockets.
      const socket = response.socket as TLSSocket
      const subject = String(socket.getPeerCertificate().subject?.CN)
      const { localPort } = socket
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, text, subject, localPort }))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}
