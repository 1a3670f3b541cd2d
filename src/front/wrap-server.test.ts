import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { fixture } from '../sources/upstream/upstream.fixture.ts'
import type { WrapServerOptions } from './wrap-options.ts'
import { type WrappedServer, wrapServer } from './wrap-server.ts'

vi.setConfig({ testTimeout: 60_000 })

async function served(options: WrapServerOptions = {}, name = 'shelf'): Promise<WrappedServer> {
  const server = wrapServer(fixture(name), { transport: 'http', port: 0, ...options })
  await server.start()
  onTestFinished(() => server.stop())
  return server
}

async function connectTo(server: WrappedServer): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.getUrl()}/mcp`)))
  onTestFinished(() => client.close())
  return client
}

describe('wrapServer', () => {
  it('serves a server with its own name, prompts and resources', async () => {
    const server = await served({ strategy: 'individual' })
    expect(server.getTransport()).toBe('http')
    const client = await connectTo(server)
    expect(client.getServerVersion()).toMatchObject({ name: 'raw', version: '1.0.0' })
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('greet')
    const read = await client.readResource({ uri: 'demo://shared' })
    expect(read.contents[0]).toMatchObject({ uri: 'demo://shared', text: 'The text of demo://shared' })
  })

  it('lists tools according to the strategy and its options', async () => {
    const client = await connectTo(await served({ strategy: 'lazy', strategyOptions: { prefix: 'shelf' } }))
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(['discover', 'detail', 'call', 'batch', 'pipe'].map((name) => `shelf-${name}`))
    expect(client.getInstructions()).toContain('shelf-discover')
  })

  it('sends no instructions if the server has none and all of its tools are listed', async () => {
    const client = await connectTo(await served({ strategy: 'auto' }, 'talkative'))
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('search_tools')
    expect(client.getInstructions()).toBeUndefined()
  })

  it('wraps a server that is reached by HTTP', async () => {
    const inner = await served({ strategy: 'individual' })
    const outer = wrapServer(
      { type: 'http', url: `${inner.getUrl()}/mcp` },
      { transport: 'http', port: 0, strategy: 'individual' },
    )
    await outer.start()
    onTestFinished(() => outer.stop())
    const client = await connectTo(outer)
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('greet')
  })

  it('cuts a long result only if maxResultTokens is set and a listed tool can read the rest', async () => {
    const large = { name: 'large', arguments: { bytes: 20_000 } }
    const textsOf = async (options: WrapServerOptions) => {
      const client = await connectTo(await served(options, 'talkative'))
      const { content, _meta } = await client.callTool(large)
      return { texts: content.map((block) => (block.type === 'text' ? block.text.length : 0)), _meta }
    }
    const whole = { texts: [20_000] }
    expect(await textsOf({ strategy: 'gateway' })).toMatchObject(whole)
    expect(await textsOf({ strategy: 'individual', maxResultTokens: 200 })).toMatchObject(whole)
    const { texts, _meta } = await textsOf({ strategy: 'gateway', maxResultTokens: 200 })
    expect(texts[0]).toBeLessThan(5_000)
    expect(_meta).toMatchObject({ 'toolcrib/result': { totalChars: 20_000 } })
  })

  it('rejects with the reason when the server cannot start, and can be stopped twice', async () => {
    const server = wrapServer({ type: 'stdio', command: 'no-such-program-anywhere' }, { transport: 'http', port: 0 })
    await expect(server.start()).rejects.toThrow(/no-such-program-anywhere/)
    await server.stop()
    await server.stop()
  })

  it('stop ends a start that waits for the server, also if start was called twice', async () => {
    const server = wrapServer(fixture('hang'), { transport: 'http', port: 0 })
    const started = [server.start(), server.start()]
    await server.stop()
    for (const { status } of await Promise.allSettled(started)) expect(status).toBe('rejected')
  })

  it.each([
    [{ type: 'stdio' }, {}, /no command/],
    [{ type: 'stdio', command: 'node', args: 'server.js' }, {}, /args/],
    [{ type: 'http', url: 'ftp://a.example' }, {}, /an http or https address/],
    [{ type: 'http', url: 'nowhere' }, {}, /url/],
    [{ type: 'tcp' }, {}, /'stdio', 'http' or 'sse'/],
    [{ type: 'stdio', command: 'node' }, { strategies: 'lazy' }, /strategies/],
    [{ type: 'stdio', command: 'node' }, { maxResultTokens: 0 }, /maxResultTokens.*at least 1, found 0/],
    [{ type: 'stdio', command: 'node' }, { maxResultTokens: Number.NaN }, /maxResultTokens.*found NaN/],
    [{ type: 'stdio', command: 'node' }, { maxQuestions: -1 }, /maxQuestions.*whole number of at least 0, found -1/],
    [{ type: 'stdio', command: 'node' }, { maxQuestions: Number.NaN }, /maxQuestions.*found NaN/],
    // Without this check, the door would refuse every client.
    [{ type: 'stdio', command: 'node' }, { auth: { token: {} } }, /'token'.*Did you mean 'tokens'/],
  ])('refuses the connection %j with the options %j', (connection, options, reason) => {
    expect(() => wrapServer(connection as never, options as never)).toThrow(reason) // a JavaScript caller can do this
  })
})
