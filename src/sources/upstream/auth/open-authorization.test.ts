import { symlinkSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { visit } from '../../../../test/fixtures/browser.ts'
import type { HttpConnection } from '../../../config/server-config.ts'
import { type LoginHome, loginHome, NAME } from './login.fixture.ts'
import { checkAccess } from './open-authorization.ts'
import { startProtectedServer } from './protected-server.fixture.ts'

const check = (home: LoginHome, url: string, more: Partial<HttpConnection> = {}, timeoutMs = 10_000) =>
  checkAccess({
    server: NAME,
    connection: { type: 'http', url, headers: {}, ...more },
    logins: home.logins,
    timeoutMs,
    signal: new AbortController().signal,
  })

async function serve(listener: RequestListener): Promise<string> {
  const http = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => http.once('listening', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` // it listens on a port
}

it.each(['legacy', 'modern', 'sse'] as const)(
  'a %s server is usable with an Authorization header of the config or after a login, and needs a login otherwise',
  async (era) => {
    const server = await startProtectedServer({ era })
    const home = loginHome(visit)
    const type = era === 'sse' ? 'sse' : 'http'
    expect(await check(home, server.url, { type })).toBe('login')
    expect(await check(home, server.url, { type, headers: { Authorization: 'Bearer mine' } })).toBe('usable')
    await home.logIn(server.url)
    expect(await check(home, server.url, { type })).toBe('usable')
  },
)

it('a server that needs no login is usable, and the session of the check is ended', async () => {
  const methods: string[] = []
  const url = await serve((request, response) => {
    methods.push(`${request.method} ${request.headers['mcp-session-id'] ?? ''}`)
    response.writeHead(200, { 'mcp-session-id': 's1', 'content-type': 'application/json' }).end('{}')
  })
  expect(await check(loginHome(visit), url)).toBe('usable')
  expect(methods).toEqual(['POST ', 'DELETE s1'])
})

it("access is 'refused' if the server answers with HTTP 401 and describes no login", async () => {
  const url = await serve((request, response) => {
    response.writeHead(request.url === '/mcp' ? 401 : 404).end()
  })
  expect(await check(loginHome(visit), url)).toBe('refused')
})

it("access is 'refused' if the authorization server refuses the client credentials of the config, even after another login", async () => {
  const server = await startProtectedServer()
  const home = loginHome(visit)
  const { issuer } = server.authorization
  const auth = { grant: 'client_credentials', clientId: 'robot', clientSecret: 'wrong', issuer } as const
  expect(await check(home, server.url, { auth })).toBe('refused')
  await home.logIn(server.url)
  expect(await check(home, server.url, { auth })).toBe('refused')
})

it('the check follows a redirect to a server that needs a login', async () => {
  const server = await startProtectedServer()
  const url = await serve((request, response) => {
    const isServer = request.url === '/mcp'
    response.writeHead(isServer ? 307 : 404, isServer ? { location: server.url } : {}).end()
  })
  expect(await check(loginHome(visit), url)).toBe('login')
})

it('a server that does not answer is unreachable after the given time', async () => {
  const url = await serve(() => {})
  const before = performance.now()
  expect(await check(loginHome(visit), url, {}, 300)).toBe('unreachable')
  expect(performance.now() - before).toBeLessThan(5_000)
})

it('a server that cannot be reached now is usable with a stored login, and unreachable without one', async () => {
  let isDown = false
  const interceptServer = (request: { socket: { destroy(): void } }) => {
    if (isDown) request.socket.destroy()
    return isDown
  }
  const server = await startProtectedServer({ interceptServer })
  const home = loginHome(visit)
  await home.logIn(server.url)
  isDown = true
  expect(await check(home, server.url)).toBe('usable')
  expect(await check(loginHome(visit), server.url)).toBe('unreachable')
})

it('while the logins cannot be read, the check answers as if there were none, and rejects only if its signal aborts', async () => {
  const home = loginHome(visit)
  const folder = join(home.stateDir, 'logins')
  // A link to itself is a path that exists and cannot be read, also for root.
  symlinkSync(folder, folder)
  const open = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const silent = await serve(() => {})
  const { url } = await startProtectedServer()
  expect(await check(home, open)).toBe('usable')
  expect(await check(home, url)).toBe('login')
  expect(await check(home, silent, {}, 300)).toBe('unreachable')
})
