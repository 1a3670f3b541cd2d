// Invalid input over HTTP is refused, and the server keeps working.

import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { openDoor, within } from './door.fixture.ts'
import { ask, connectRaw, follow, initialize, LEGACY, modern, startSession, toolCall } from './raw-client.fixture.ts'

const MEGABYTE = 1024 * 1024

async function stillServes(port: number): Promise<void> {
  const answer = await ask(port, modern(toolCall('text-echo', { still: 'here' })))
  expect(answer.messages[0]?.result?.structuredContent?.data).toEqual({ still: 'here' })
}

describe('a body over the limit', () => {
  it('refuses a large body with 413 by its declared length, before it reads the body', async () => {
    const { port } = await openDoor()
    const { socket, seen } = await connectRaw(port)
    socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${5 * MEGABYTE}\r\n\r\n`)
    await within(2_000, 'the answer, with no body sent', seen('HTTP/1.1 413'))
    await stillServes(port)
  })

  it.each([
    ['in one piece', (size: number) => ['x'.repeat(size)]],
    ['in many pieces', (size: number) => Array.from({ length: 64 }, () => 'x'.repeat(size / 64))],
  ])('refuses a large chunked body sent %s with 413, and the client gets the response', async (_how, cut) => {
    const { port } = await openDoor()
    const outgoing = request({ port, host: '127.0.0.1', method: 'POST', path: '/mcp', agent: false })
    const answer = follow(outgoing)
    for (const piece of cut(8 * MEGABYTE)) outgoing.write(piece)
    await answer.ended
    expect(answer.status).toBe(413)
    expect(answer.messages[0]?.error?.message).toContain('4194304')
    await stillServes(port)
  })

  it('refuses a body that is longer than its declared length', async () => {
    const { port } = await openDoor()
    const { socket, received, closed, seen } = await connectRaw(port)
    socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{${'x'.repeat(2 * MEGABYTE)}`)
    // The first ten bytes are the body. The rest is not a valid request.
    await seen('HTTP/1.1 400')
    await closed
    expect(received()).not.toContain('HTTP/1.1 200')
    await stillServes(port)
  })

  it('applies the same limit in both eras, and serves a smaller body', async () => {
    const { port } = await openDoor({ maxBodyBytes: 100_000 })
    const session = await startSession(port)
    const [small, large] = ['x'.repeat(90_000), 'x'.repeat(110_000)]
    expect((await session.ask(toolCall('text-echo', { small }))).messages[0]?.result?.isError).toBeUndefined()
    expect((await ask(port, modern(toolCall('text-echo', { small })))).status).toBe(200)
    expect((await session.ask(toolCall('text-echo', { large }))).status).toBe(413)
    expect((await ask(port, modern(toolCall('text-echo', { large })))).status).toBe(413)
    expect((await session.ask(toolCall('text-echo', { a: 1 }))).status).toBe(200)
  })

  it('serves a body above the default limit when maxBodyBytes allows it, and answers 400 for malformed JSON', async () => {
    const { port } = await openDoor({ maxBodyBytes: 8 * MEGABYTE })
    const text = 'x'.repeat(5 * MEGABYTE)
    const session = await startSession(port)
    expect((await session.ask(toolCall('text-echo', { text }))).status).toBe(200)
    expect((await ask(port, modern(toolCall('text-echo', { text })))).status).toBe(200)
    expect((await session.ask(text)).status).toBe(400)
    expect((await ask(port, { body: text })).status).toBe(400)
  })
})

describe('a body that is not a request', () => {
  it.each([
    ['malformed JSON', '{"jsonrpc": "2.0",', -32700],
    ['an empty body', undefined, -32700],
    ['null', 'null', -32600],
    ['a number', '7', -32600],
    ['a text', '"initialize"', -32600],
    ['an empty batch', '[]', -32600],
    ['a batch of rubbish', '[1,2,3]', -32600],
    ['an empty object', '{}', -32600],
    ['another protocol', '{"jsonrpc":"1.0","id":1,"method":"initialize"}', -32600],
    ['a method that is not text', '{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['control characters', '\u0000\u0001\ufffd', -32700],
  ])('answers 400 for %s', async (_what, body, code) => {
    const { port } = await openDoor()
    const answer = await ask(port, { body })
    expect(answer.status).toBe(400)
    expect(answer.messages[0]).toMatchObject({ jsonrpc: '2.0', error: { code } })
    await stillServes(port)
  })

  it('keeps the session when a request in it has an invalid body', async () => {
    const { port } = await openDoor()
    const session = await startSession(port)
    for (const body of ['{', '', 'null', '[]', '{}', '[{}]']) expect((await session.ask(body)).status).toBe(400)
    expect((await session.ask(toolCall('text-echo', { a: 1 }))).messages[0]?.result?.isError).toBeUndefined()
  })

  it('refuses a batch that contains initialize, and creates no session', async () => {
    const { port, front } = await openDoor()
    const answer = await within(3_000, 'an answer to a batch with an initialize', ask(port, { body: [initialize()] }))
    expect(answer.status).toBe(400)
    expect(front.listeners).toBe(0)
  })
})

describe('a batch', () => {
  it('answers each request of a batch in a session', async () => {
    const { port } = await openDoor()
    const session = await startSession(port)
    const calls = Array.from({ length: 50 }, (_, id) => toolCall('text-echo', { id }, id))
    const { messages } = await session.ask(calls)
    expect(messages).toHaveLength(50)
    for (const { id, result } of messages) expect(result?.structuredContent?.data).toEqual({ id })
  })

  it.each([
    [
      'of a session, with more than 100 requests',
      Array.from({ length: 101 }, (_, id) => toolCall('text-echo', {}, id)),
    ],
    ['with a modern request in it', [modern(toolCall('text-echo')).body]],
  ])('refuses a batch %s', async (_what, body) => {
    const { port } = await openDoor()
    const session = await startSession(port)
    expect((await session.ask(body, { 'mcp-protocol-version': LEGACY })).status).toBe(400)
  })
})

describe('a request of the wrong form', () => {
  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonp', 415],
    [undefined, 415],
  ])('refuses the content type %s', async (type, status) => {
    const { port, front } = await openDoor()
    const headers = { 'content-type': type }
    expect((await ask(port, { body: initialize(), headers })).status).toBe(status)
    const call = modern(toolCall('text-echo'))
    expect((await ask(port, { ...call, headers: { ...call.headers, ...headers } })).status).toBe(status)
    expect(front.events).toEqual([])
  })

  it('accepts a charset in the content type', async () => {
    const { port } = await openDoor()
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expect((await ask(port, { body: initialize(), headers })).status).toBe(200)
  })

  it('refuses a legacy client that does not accept an event stream', async () => {
    const { port, front } = await openDoor()
    const answer = await ask(port, { body: initialize(), headers: { accept: 'application/json' } })
    expect(answer.status).toBe(406)
    expect(front.listeners).toBe(0)
  })

  it.each(['PUT', 'PATCH', 'HEAD', 'QUERY', 'TRACE'])('answers 405 for the method %s', async (method) => {
    const { port, front } = await openDoor()
    const answer = await ask(port, { method, headers: { 'content-type': undefined } })
    expect(answer.status).toBe(405)
    expect(front.errors.map((error) => error.message)).not.toContain(`'${method}' HTTP method is unsupported.`)
    await stillServes(port)
  })

  it.each(['/', '/mcp/', '/MCP', '//mcp', '/mcp/../admin', '/health/', '/.env'])(
    'answers 404 for the path %s',
    async (path) => {
      const { port } = await openDoor()
      expect((await ask(port, { path, body: initialize() })).status).toBe(404)
    },
  )

  it.each([
    ['the whole address, as through a proxy', 'GET http://127.0.0.1:3100/health HTTP/1.1', /^HTTP\/1.1 200/],
    ['the server itself', 'OPTIONS * HTTP/1.1', /^HTTP\/1.1 (2|4)/],
  ])('answers a request for %s', async (_what, line, expected) => {
    const { port, front } = await openDoor()
    const { socket, seen, received } = await connectRaw(port)
    socket.write(`${line}\r\nHost: localhost\r\n\r\n`)
    await seen('HTTP/1.1')
    expect(received()).toMatch(expected)
    expect(front.errors).toEqual([])
  })

  it.each([
    ['is not HTTP', 'MAKE ME A SANDWICH\r\n\r\n'],
    ['is TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
    ['has a header that is too long', `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`],
    ['has two lengths', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    [
      'has a length and chunks, as in request smuggling',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('refuses a request that %s, and closes the connection', async (_what, bytes) => {
    const { port } = await openDoor()
    const { socket, closed, received } = await connectRaw(port)
    socket.write(bytes)
    await closed
    expect(received()).toMatch(/^HTTP\/1.1 4/)
    await stillServes(port)
  })

  it('leaves no listener and no work behind when many requests are aborted in the middle', async () => {
    const { port, front } = await openDoor()
    for (let i = 0; i < 50; i++) {
      const { socket } = await connectRaw(port)
      socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"jsonrpc"')
      socket.destroy()
    }
    await stillServes(port)
    expect(front.listeners).toBe(0)
    expect(front.activity.active).toBe(0)
  })
})
