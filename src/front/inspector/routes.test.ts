// The routes of the inspector over real HTTP: tokens, Host, Origin, headers, modes and the base path.

import { describe, expect, it, vi } from 'vitest'
import { loadTokenCounter } from '../../core/tokens.ts'
import { listInFull } from '../../disclosure/listed.ts'
import { strategies } from '../../disclosure/strategies/builtins.ts'
import { countListing } from '../../disclosure/strategies/listing/tool-cost.ts'
import { fixture } from '../../sources/upstream/upstream.fixture.ts'
import { within } from '../door.fixture.ts'
import { ADMIN, ALICE, openInspected } from '../inspector.fixture.ts'
import { ask, open } from '../raw-client.fixture.ts'
import type { InspectorOverview, InspectorTools } from './api.ts'
import type { MeasuredCosts } from './inspector-options.ts'

const servers = { files: fixture('named-tools', 'read_file', 'write_file') }
const config = { discovery: { servers } }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const preview = { method: 'POST', body: { rule: { pattern: 'write_*', enabled: false } } }
/** Every path of JSON data, with a request that it answers with 200. */
const data: readonly (readonly [string, { readonly method?: string; readonly body?: unknown }])[] = [
  ['overview', {}],
  ['tools', {}],
  ['tool?id=files:read_file', {}],
  ['search?q=read', {}],
  ['calls', {}],
  ['usage', {}],
  ['config', {}],
  ['config/preview', preview],
]

describe('the data of the inspector', () => {
  it('the data needs a valid token, an allowed Host and an allowed Origin on every path', async () => {
    const { port, request, errors } = await openInspected({ config })
    const paths: typeof data = [...data, ['calls/stream', {}], ['nothing', {}]]
    for (const [path, given] of paths) {
      const at = { method: 'GET', path: `/api/${path}`, ...given }
      for (const headers of [{}, bearer('wrong-0123456789abcdef'), { authorization: `Basic ${ADMIN}` }]) {
        const { status, text } = await ask(port, { ...at, headers })
        expect([path, status, text.includes('files')]).toEqual([path, 401, false])
      }
      for (const wrong of [{ host: 'evil.example' }, { origin: 'http://evil.example' }, { origin: 'null' }]) {
        expect((await request(path, ADMIN, { ...given, headers: wrong })).status, path).toBe(403)
      }
    }
    for (const [path, given] of data) {
      const { status, headers, text } = await request(path, ADMIN, given)
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'application/json'])
      expect(() => JSON.parse(text)).not.toThrow()
    }
    expect(errors).toEqual([])
  })

  it('the data is never cached, framed, sniffed or read by another page', async () => {
    const { port, request } = await openInspected({ config })
    const answers = [
      await request('overview'),
      await request('tool?id=nothing'),
      await ask(port, { method: 'GET', path: '/api/overview' }),
      await request('overview', ADMIN, { headers: { origin: 'http://localhost:9999' } }),
    ]
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 200])
  })

  it('the savings are computed with the token counts of the list of the strategy and of the tools', async () => {
    const measured: MeasuredCosts[] = []
    const { get, gateway } = await openInspected({
      config,
      reports: {
        async savings(_, costs) {
          measured.push(costs)
          return []
        },
      },
    })
    await get('usage')
    const signal = new AbortController().signal
    const caller = { principal: 'admin', era: 'direct', transport: 'http' } as const
    const listed = await gateway.crib.list({ caller, signal })
    const { visible } = await gateway.crib.inspect(signal, caller)
    // Without the brackets of the list, which belong to no tool.
    const inFull = JSON.stringify(visible.tools.map(listInFull)).slice(1, -1)
    const count = await loadTokenCounter()
    const [costs] = measured
    expect(costs?.tokensPerByte.lists).toBe((await countListing(listed)) / Buffer.byteLength(JSON.stringify(listed)))
    expect(costs?.tokensPerByte.answers).toBeCloseTo(count(inFull) / Buffer.byteLength(inFull), 2)
    expect([...(costs?.listTokens.keys() ?? [])]).toEqual(['files'])
  })

  it('the tokens of a server are the sum of the tokens of its tools', async () => {
    const { get } = await openInspected({ config })
    const overview = () => get<InspectorOverview>('overview')
    await expect.poll(async () => (await overview()).counting).toEqual([])
    const { tools } = await get<InspectorTools>('tools')
    expect(tools).toHaveLength(2)
    const sum = tools.reduce((total, tool) => total + (tool.tokens ?? 0), 0)
    expect((await overview()).servers.map(({ tokens }) => tokens)).toEqual([sum])
  })

  it('the overview names each strategy once: with its tokens, or as one that is still counted', async () => {
    const { get } = await openInspected({ config })
    for (let i = 0; i < 3; i++) {
      const { costs, counting } = await get<InspectorOverview>('overview')
      const names = [...costs.map(({ strategy }) => strategy), ...counting]
      expect(names.toSorted()).toEqual([...strategies.keys()].toSorted())
    }
  })

  it('a page of an allowed origin can read the data', async () => {
    const origin = 'https://app.example.com'
    const { request } = await openInspected({ config, http: { allowedOrigins: [origin] } })
    const { status, headers } = await request('overview', ADMIN, { headers: { origin } })
    expect([status, headers['access-control-allow-origin']]).toEqual([200, origin])
  })

  it('refuses other methods, unknown paths and wrong parameters with a message, and accepts the pattern `[`', async () => {
    const { request } = await openInspected({ config })
    const asked = [
      ['overview', { method: 'POST', body: {} }, 405],
      ['config/preview', {}, 405],
      ['config/preview', { method: 'POST', body: '{' }, 400],
      ['config/preview', { method: 'POST', body: { rule: { pattern: '[' } } }, 200],
      ['config/preview', { method: 'POST', body: { rule: { patern: 'x' } } }, 400],
      ['config/preview', { method: 'POST', body: { rule: { pattern: 'x' }, at: 7 } }, 400],
      ['nothing', {}, 404],
      ['constructor', {}, 404],
      ['tool', {}, 404],
      ['usage?minutes=0', {}, 400],
      ['usage?minutes=99999', {}, 400],
      ['calls?limit=-1', {}, 400],
      ['search?q=x&strategies=none', {}, 400],
      [`search?q=${'x'.repeat(600)}`, {}, 400],
    ] as const
    for (const [path, given, status] of asked) {
      const answer = await request(path, ADMIN, given)
      expect([path, answer.status]).toEqual([path, status])
      if (status !== 200) expect(JSON.parse(answer.text).error.message, path).toMatch(/[.?]$/)
    }
  })
})

describe('the search of the inspector', () => {
  it('the error for an unknown strategy names the strategies that exist', async () => {
    const { request } = await openInspected({ config })
    const { error } = JSON.parse((await request('search?q=x&strategies=none')).text)
    for (const name of strategies.keys()) expect(error.fix).toContain(`'${name}'`)
  })
})

describe('the page of the inspector', () => {
  it('the page needs no token, but an allowed Host and Origin', async () => {
    const { port } = await openInspected({ config })
    const { status, headers, text } = await ask(port, { method: 'GET', path: '/' })
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<!doctype html>')
    for (const wrong of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
      expect((await ask(port, { method: 'GET', path: '/', headers: wrong })).status).toBe(403)
    }
  })

  it('the page runs only its own scripts, and loads nothing from other addresses', async () => {
    const { port } = await openInspected({ config })
    const { headers, text } = await ask(port, { method: 'GET', path: '/' })
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
    })
    const files = [...text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, file]) => file)
    expect(files.length).toBeGreaterThan(1)
    for (const file of files) {
      const answer = await ask(port, { method: 'GET', path: `/${file}` })
      expect([file, answer.status, answer.headers['x-content-type-options']]).toEqual([file, 200, 'nosniff'])
      if (file?.startsWith('assets/')) expect(answer.headers['cache-control']).toContain('immutable')
    }
  })

  it('serves no file outside the folder of the page', async () => {
    const { port } = await openInspected({ config })
    for (const path of [
      '/assets/../../package.json',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets/',
      '/index.html',
    ]) {
      const { status, text } = await ask(port, { method: 'GET', path })
      expect([path, status, text.includes('"name"')]).toEqual([path, 404, false])
    }
    expect((await ask(port, { path: '/', body: {} })).status).toBe(404)
    expect((await ask(port, { method: 'HEAD', path: '/' })).status).toBe(200)
  })

  it('the page is below the base path, and its address gets the slash that its files need', async () => {
    const { port, get } = await openInspected({ config, http: { basePath: '/tools' } })
    expect((await ask(port, { method: 'GET', path: '/tools/' })).status).toBe(200)
    const redirected = await ask(port, { method: 'GET', path: '/tools' })
    expect([redirected.status, redirected.headers.location]).toEqual([308, '/tools/'])
    for (const path of ['/', '/api/overview', '/assets/x.js', '/toolsassets/x.js']) {
      expect((await ask(port, { method: 'GET', path, headers: bearer(ADMIN) })).status).toBe(404)
    }
    expect((await get<InspectorOverview>('overview')).gateway.mcpPath).toBe('/tools/mcp')
  })

  it('the page can call the gateway under a public name, because its requests come from its own origin', async () => {
    const { request } = await openInspected({ config, http: { allowedHosts: ['tools.example.com'] } })
    const from = (origin: string) =>
      request('config/preview', ADMIN, { ...preview, headers: { host: 'tools.example.com', origin } })
    expect((await from('https://tools.example.com')).status).toBe(200)
    for (const origin of ['https://other.example.com', 'https://tools.example.com:8443', 'tools.example.com']) {
      expect((await from(origin)).status).toBe(403)
    }
  })
})

describe('the stream of calls', () => {
  const stream = { method: 'GET', path: '/api/calls/stream', headers: bearer(ADMIN) }

  it('sends each call once, as soon as it is recorded', async () => {
    const { port, call } = await openInspected({ config })
    const opened = await open(port, stream)
    expect([opened.status, opened.headers['content-type']]).toEqual([200, 'text/event-stream'])
    await call('execute_tool', { tool: 'read_file', arguments: { path: 'a' } })
    const seen = await opened.find(() => true)
    expect(seen).toMatchObject({
      principal: 'admin',
      server: 'files',
      tool: 'read_file',
      outcome: 'ok',
      transport: 'http',
    })
    expect(opened.messages).toHaveLength(1)
  })

  it('refuses a stream of calls beyond 64 pages of one login, accepts one of another, and accepts one again when a page is closed', async () => {
    const identities = { [ADMIN]: { principal: 'admin' }, [ALICE]: { principal: 'alice' } }
    const { port } = await openInspected({ config, identities })
    const all = await Promise.all(Array.from({ length: 64 }, () => open(port, stream)))
    expect(all.map(({ status }) => status)).toEqual(new Array(64).fill(200))
    expect((await ask(port, stream)).status).toBe(503)
    const other = await open(port, { ...stream, headers: bearer(ALICE) })
    expect(other.status).toBe(200)
    all[0]?.hangUp()
    const openAgain = async () => {
      const next = await open(port, stream)
      if (next.status !== 200) await next.ended
      return next.status
    }
    await expect.poll(openAgain, { timeout: 10_000 }).toBe(200)
  })

  it('closes a stream of calls that cannot be continued, and no longer counts it', async () => {
    const { port, call, gateway, errors } = await openInspected({ config })
    const all = await Promise.all(Array.from({ length: 64 }, () => open(port, stream)))
    const inspect = vi.spyOn(gateway.crib, 'inspect').mockRejectedValue(new Error('no view'))
    await call('execute_tool', { tool: 'read_file', arguments: { path: 'a' } })
    await within(10_000, 'every stream is closed', Promise.all(all.map(({ ended }) => ended)))
    expect(errors[0]?.message).toBe('no view')
    inspect.mockRestore()
    await expect.poll(async () => (await open(port, stream)).status).toBe(200)
  })

  it('the stream of calls ends at once when the gateway stops', async () => {
    const { port, close } = await openInspected({ config })
    const opened = await open(port, stream)
    const closed = close(60_000)
    await within(20_000, 'the stream ends', opened.ended)
    await within(20_000, 'the gateway stops', closed)
  })
})

describe('http.inspector', () => {
  it('`off` removes the page and its data, `read-only` sets canCall to false; a reload applies both', async () => {
    const { port, request, get, edit } = await openInspected({ config: { ...config, http: { inspector: 'off' } } })
    for (const path of ['/', '/assets/x.js', '/api/overview', '/api/calls/stream']) {
      const { status, text } = await ask(port, { method: 'GET', path, headers: bearer(ADMIN) })
      expect([path, status, text]).toEqual([path, 404, 'Not found. MCP is at /mcp.\n'])
    }
    await edit({ ...config, http: { inspector: 'read-only' } })
    expect((await get<InspectorOverview>('overview')).caller.canCall).toBe(false)
    await edit(config)
    expect((await get<InspectorOverview>('overview')).caller.canCall).toBe(true)
    await edit({ ...config, http: { inspector: 'off' } })
    expect((await request('overview')).status).toBe(404)
  })
})
