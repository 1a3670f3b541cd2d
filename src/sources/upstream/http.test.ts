import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HttpConnection } from '../../config/server-config.ts'
import { contextOf } from '../source.fixture.ts'
import { everythingOver, freePort, type HttpProcess, modernOverHttp } from './http.fixture.ts'
import { listenForTest, signal, sourceOf, until } from './upstream.fixture.ts'

const http = (url: string, headers: Record<string, string> = {}): HttpConnection => ({ type: 'http', url, headers })
const sse: typeof http = (url, headers = {}) => ({ type: 'sse', url, headers })

describe.each(['streamableHttp', 'sse'] as const)('the reference server `everything` over %s', (mode) => {
  let server: HttpProcess
  beforeAll(async () => {
    server = await everythingOver(mode)
  })
  afterAll(() => server.kill())
  const connected = () => sourceOf(mode === 'sse' ? sse(server.url) : http(server.url)).source

  it('lists the tools of a server over HTTP, calls them and receives their progress', async () => {
    const source = connected()
    await source.ensure(signal)
    expect(await source.manifest()).toMatchObject({ era: 'legacy', serverInfo: { name: 'mcp-servers/everything' } })
    expect((await source.list(signal)).map(({ name }) => name)).toContain('echo')
    expect((await source.call('echo', { message: 'hi' }, contextOf())).data).toBe('Echo: hi')
    const heard: number[] = []
    const context = contextOf({ progress: (done) => heard.push(done) })
    const result = await source.call('trigger-long-running-operation', { duration: 0.2, steps: 4 }, context)
    expect(result.success).toBe(true)
    expect(heard).toEqual([1, 2, 3, 4])
  })

  it('passes requests of the server to the client of the call', async () => {
    const context = contextOf({ onServerRequest: async () => ({ action: 'accept', content: { name: 'Ada' } }) })
    const result = await connected().call('trigger-elicitation-request', {}, context)
    expect(JSON.stringify(result.data)).toContain('Name: Ada')
  })

  it('reaches a restarted server again without losing a call', async () => {
    const source = connected()
    expect((await source.call('echo', { message: 'one' }, contextOf())).success).toBe(true)
    await server.restart()
    // The new process does not know our session and refuses the call before it runs it.
    if (mode === 'sse') await until(() => source.state().state === 'known')
    expect((await source.call('echo', { message: 'two' }, contextOf())).data).toBe('Echo: two')
  })

  it('fails calls in flight when the server ends, and later calls too', async () => {
    const source = connected()
    let isInFlight = false
    const progress = () => {
      isInFlight = true
    }
    const call = source.call('trigger-long-running-operation', { duration: 60, steps: 600 }, contextOf({ progress }))
    await until(() => isInFlight)
    await server.kill()
    // This tool is idempotent, so the call is repeated. The repeated call finds the server gone.
    expect((await call).error).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    const { error } = await source.call('echo', { message: 'two' }, contextOf())
    const message = expect.stringMatching(/fetch failed|ECONNREFUSED/)
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', message })
    expect(source.state().state).toBe('failed')
  })
})

describe('a modern server over HTTP', () => {
  it('a modern server gets the configured headers, and marked arguments as headers', async () => {
    const server = await modernOverHttp()
    const { source } = sourceOf(http(server.url, { authorization: 'Bearer hush-hush' }))
    expect((await source.call('where', { region: 'zürich' }, contextOf())).data).toEqual({ region: 'zürich' })
    expect(await source.manifest()).toMatchObject({ era: 'modern' })
    expect(server.headers.every((one) => one.authorization === 'Bearer hush-hush')).toBe(true)
    expect(server.headers.at(-1)).toMatchObject({
      'mcp-method': 'tools/call',
      'mcp-param-region': '=?base64?esO8cmljaA==?=',
    })
  })

  it('a modern server over HTTP notifies of changes to its list', async () => {
    const server = await modernOverHttp()
    const { source } = sourceOf(http(server.url))
    await source.ensure(signal)
    await until(() => server.headers.some((one) => one['mcp-method'] === 'subscriptions/listen'))
    const changed = new Promise<void>((resolve) => source.onChange(resolve))
    server.grow()
    await changed
    expect((await source.list(signal)).map(({ name }) => name)).toEqual(['where', 'grown-1'])
  })

  it('loses only one call when the response to this call breaks off', async () => {
    const server = await modernOverHttp()
    const { source } = sourceOf(http(server.url))
    await source.ensure(signal)
    server.breakNext()
    expect((await source.call('where', {}, contextOf())).error).toMatchObject({ code: 'SERVER_LOST' })
    expect(source.state().state).toBe('connected')
    expect((await source.call('where', {}, contextOf())).success).toBe(true)
  })
})

describe('an HTTP server that cannot be reached', () => {
  it.each([
    ['http', http, (address: string) => `no program listens at ${address} (ECONNREFUSED)`],
    // The transport of the SDK for SSE keeps only the text of the error.
    ['sse', sse, (address: string) => `connect ECONNREFUSED ${address}`],
  ] as const)('reports that the connection over %s is refused', async (_type, connection, reason) => {
    const address = `127.0.0.1:${await freePort()}`
    const { source } = sourceOf(connection(`http://${address}/mcp`))
    const { error } = await source.call('any', {}, contextOf())
    const message = expect.stringContaining(reason(address))
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', message })
  })

  it.each([
    ['http', http],
    ['sse', sse],
  ] as const)('says of HTTP 401 over %s whether the config has an Authorization header', async (_type, connection) => {
    const server = createServer((_, response) => response.writeHead(401).end())
    const origin = await listenForTest(server)
    const messageWith = async (headers: Record<string, string>) => {
      const { source } = sourceOf(connection(`${origin}/mcp`, headers))
      return (await source.call('any', {}, contextOf())).error?.message
    }
    expect(await messageWith({})).toContain('it requires an authorization that its config does not have (HTTP 401)')
    const refused = await messageWith({ authorization: 'Bearer wrong-token-0123456789' })
    expect(refused).toContain("it refuses the value of the header 'Authorization' (HTTP 401)")
    expect(refused).not.toContain('wrong-token')
  })

  it('reports that the address of a server is not a URL', async () => {
    const { source } = sourceOf(http('not an address'))
    expect((await source.call('any', {}, contextOf())).error?.message).toContain('its address is not a URL')
  })
})
