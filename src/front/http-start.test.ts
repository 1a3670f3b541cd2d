// Starting the HTTP door through createMcpServer.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { success } from '../core/result.ts'
import type { Features } from '../crib/features.ts'
import { createMcpServer, type McpServerOptions } from './create-mcp-server.ts'
import { commandReturning, createFront, echo } from './door.fixture.ts'
import { serveHttp } from './http.ts'
import { ask, modern, startSession, toolCall } from './raw-client.fixture.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

function createTestServer(options: Partial<McpServerOptions> = {}) {
  const server = createMcpServer({
    name: 'test',
    version: '1.0.0',
    commands: [echo],
    toolStrategy: 'individual',
    transport: 'http',
    port: 0,
    ...options,
  })
  onTestFinished(() => server.stop())
  return server
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

/** Another program that listens on a port. */
async function occupy(): Promise<{ port: number; leave(): Promise<void> }> {
  const other: Server = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const leave = () => new Promise<void>((resolve) => other.close(() => resolve()))
  onTestFinished(leave)
  return { port: (other.address() as AddressInfo).port, leave } // listening on TCP, so it is an AddressInfo
}

describe('start', () => {
  it('takes any free port for 0 and reports it in getUrl', async () => {
    const server = createTestServer()
    await server.start()
    expect(server.getUrl()).toMatch(/^http:\/\/localhost:[1-9]\d+$/)
    expect(server.getTransport()).toBe('http')
    const answer = await ask(portOf(server.getUrl()), modern(toolCall('text-echo', { a: 1 })))
    expect(answer.messages[0]?.result?.structuredContent?.data).toEqual({ a: 1 })
  })

  it('returns the future URL before the server is started', () => {
    expect(createTestServer({ port: 4242 }).getUrl()).toBe('http://localhost:4242')
    expect(createMcpServer({ name: 't', version: '1', commands: [], transport: 'http' }).getUrl()).toBe(
      'http://localhost:3100',
    )
  })

  it('opens one door when start is called twice', async () => {
    const server = createTestServer()
    await Promise.all([server.start(), server.start()])
    const url = server.getUrl()
    await server.start()
    expect(server.getUrl()).toBe(url)
  })

  it('rejects with EADDRINUSE when the port is in use, and works once the port is free', async () => {
    const { port, leave } = await occupy()
    const server = createTestServer({ port })
    const refused = {
      code: 'EADDRINUSE',
      message: `localhost:${port} is in use by another program. Set the option \`port\` to another port; 0 takes any free one.`,
      cause: { code: 'EADDRINUSE', syscall: 'listen' },
    }
    await expect(server.start()).rejects.toMatchObject(refused)
    await expect(server.start()).rejects.toMatchObject(refused)
    await leave()
    await server.start()
    expect((await ask(port, { method: 'GET', path: '/health' })).status).toBe(200)
  })

  it('rejects with the option to change when the host is not an address of this machine', async () => {
    const server = createTestServer({ host: '192.0.2.1', auth: { tokens: { ada: 'a'.repeat(32) } } })
    await expect(server.start()).rejects.toMatchObject({
      code: 'EADDRNOTAVAIL',
      message:
        "'192.0.2.1' is not an address of this machine (EADDRNOTAVAIL). Leave out the option `host` to serve on this machine only, or set it to an address of this machine.",
      cause: { syscall: 'listen' },
    })
  })

  it('leaves no listener behind when start fails', async () => {
    const { port } = await occupy()
    const front = createFront()
    for (let i = 0; i < 3; i++) {
      await expect(serveHttp({ ...front, host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    }
    expect(front.listeners).toBe(0)
  })

  it('leaves no listener behind when the certificate cannot be read', async () => {
    const listeners = new Set<(uri: string) => void>()
    const updates: NonNullable<Features['updates']> = {
      watch: async () => ({ ok: true, result: {} }),
      unwatch: async () => {},
      onUpdate(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    }
    const features = { updates } as unknown as Features // the only field that is used
    const http = { tls: { cert: '/no/such.crt', key: '/no/such.key' } }
    const started = serveHttp({ ...createFront(), features, host: '127.0.0.1', port: 0, http })
    await expect(started).rejects.toThrow(/http\.tls/)
    expect(listeners.size).toBe(0)
  })

  it('stops a server after its start failed', async () => {
    const { port } = await occupy()
    const server = createTestServer({ port })
    await expect(server.start()).rejects.toThrow()
    await server.stop()
  })
})

describe('the host and the token', () => {
  it.each([
    '0.0.0.0',
    '::',
    '192.168.1.10',
    'example.com',
    '',
    '10.0.0.1',
    '127.0.0.1.example.com',
    '::ffff:127.0.0.1',
  ])('refuses to serve on %j without auth, and does not listen', async (host) => {
    const listen = vi.spyOn((await import('node:net')).Server.prototype, 'listen')
    await expect(createTestServer({ host }).start()).rejects.toMatchObject({ code: 'AUTH_REQUIRED' })
    expect(listen).not.toHaveBeenCalled()
  })

  it.each(['127.0.0.1', '127.0.0.9', '::1', 'localhost'])('serves on %s without auth', async (host) => {
    const server = createTestServer({ host })
    await server.start()
    const { hostname } = new URL(server.getUrl())
    const at = hostname === 'localhost' ? '127.0.0.1' : hostname.replace(/[[\]]/g, '')
    const port = portOf(server.getUrl())
    const headers = { host: new URL(server.getUrl()).host }
    expect((await ask(port, { host: at, method: 'GET', path: '/health', headers })).status).toBe(200)
  })

  it('does not start with a token that is too short', async () => {
    await expect(createTestServer({ auth: { tokens: { a: 'short' } } }).start()).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    })
  })
})

describe('start after stop', () => {
  it('serves again on the same port after a stop', async () => {
    const { port, leave } = await occupy()
    await leave()
    const server = createTestServer({ port })
    for (let round = 0; round < 3; round++) {
      await server.start()
      expect((await ask(port, modern(toolCall('text-echo', { round })))).status).toBe(200)
      await server.stop()
      await expect(ask(port, { method: 'GET', path: '/health' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    }
  })

  it('does not accept sessions of the previous run after a restart', async () => {
    const { port, leave } = await occupy()
    await leave()
    const server = createTestServer({ port })
    await server.start()
    const session = await startSession(port)
    await server.stop()
    await server.start()
    expect((await session.ask(toolCall('text-echo'))).status).toBe(404)
  })
})

describe('callbacks of the author', () => {
  it('keeps serving when the callbacks of the author throw', async () => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    const boom = () => {
      throw new Error('the listener broke')
    }
    const server = createTestServer({
      onCommand: boom,
      onError: boom,
      commands: [echo, commandReturning('x-y', () => success(1))],
    })
    server.on('tool:call', boom)
    await server.start()
    const port = portOf(server.getUrl())
    expect((await ask(port, modern(toolCall('x-y')))).messages[0]?.result?.isError).toBeUndefined()
    expect((await ask(port, { body: 'null' })).status).toBe(400)
    expect((await warned).message).toContain('the listener broke')
  })
})
