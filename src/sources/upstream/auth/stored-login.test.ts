import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { visit } from '../../../../test/fixtures/browser.ts'
import { contextOf } from '../../source.fixture.ts'
import { modernOverHttp } from '../http.fixture.ts'
import { signal } from '../upstream.fixture.ts'
import { loginHome } from './login.fixture.ts'
import { LOCAL_OWNER } from './person.ts'
import { type ProtectedServer, startProtectedServer } from './protected-server.fixture.ts'

const HOUR_MS = 3_600_000

function countRefreshes({ authorization }: ProtectedServer): number {
  return authorization.tokenRequests.filter((request) => request.get('grant_type') === 'refresh_token').length
}

describe('a server without a login', () => {
  it.each(['legacy', 'modern'] as const)(
    'fails calls to a %s server with AUTH_REQUIRED and the command to log in',
    async (era) => {
      const server = await startProtectedServer({ era })
      const { source } = loginHome(visit).source(server.url)
      const { error } = await source.call('read', {}, contextOf())
      expect(error).toMatchObject({
        code: 'AUTH_REQUIRED',
        message: expect.stringContaining('needs login'),
        suggestion: expect.stringContaining('toolcrib login tested'),
        details: { command: 'toolcrib login tested' },
      })
      expect(source.info()).toMatchObject({
        state: 'failed',
        reason: 'it needs login: run `toolcrib login tested`',
        loginCommand: 'toolcrib login tested',
      })
      // The gateway never starts a login by itself.
      expect(server.authorization.paths.filter((path) => ['/auth', '/reg', '/token'].includes(path))).toEqual([])
    },
  )

  it('fails calls to an SSE server with AUTH_REQUIRED, and answers them after the login and after a renewal', async () => {
    const server = await startProtectedServer({ era: 'sse' })
    const home = loginHome(visit)
    const { source } = home.source(server.url, { type: 'sse' })
    expect((await source.call('read', {}, contextOf())).error?.code).toBe('AUTH_REQUIRED')
    const { tokens } = await home.logIn(server.url)
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
    await server.authorization.revoke(tokens?.access_token ?? '')
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
  })

  it('calls a server that needs no login, and asks for the login at another one, while the logins cannot be read', async () => {
    const home = loginHome(visit)
    const folder = join(home.stateDir, 'logins')
    // A link to itself is a path that exists and cannot be read, also for root.
    symlinkSync(folder, folder)
    const { url } = await modernOverHttp()
    expect(await home.source(url).source.call('where', { region: 'x' }, contextOf())).toMatchObject({ success: true })
    const server = await startProtectedServer()
    const { error } = await home.source(server.url).source.call('read', {}, contextOf())
    expect(error?.code).toBe('AUTH_REQUIRED')
  })

  it('uses a server at once after the user has logged in', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const { source } = home.source(server.url, { options: { backoffMs: HOUR_MS, maxBackoffMs: HOUR_MS } })
    expect((await source.call('read', {}, contextOf())).error?.code).toBe('AUTH_REQUIRED')
    await home.logIn(server.url)
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
  })

  it('keeps the error of a server that refuses the key of the config', async () => {
    const server = await startProtectedServer()
    const { source } = loginHome(visit).source(server.url, { headers: { authorization: 'Bearer wrong-key' } })
    const { error } = await source.call('read', {}, contextOf())
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', message: expect.stringContaining('HTTP 401') })
    expect(server.sent.every((header) => header === 'Bearer wrong-key')).toBe(true)
  })

  it('keeps the error of a server that describes no login', async () => {
    const http = createServer((_request, response) => response.writeHead(401).end()).listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    const { port } = http.address() as AddressInfo // it listens on a port
    const { source } = loginHome(visit).source(`http://127.0.0.1:${port}/mcp`)
    const { error } = await source.call('read', {}, contextOf())
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', message: expect.stringContaining('HTTP 401') })
  })
})

describe('a stored login', () => {
  it('does not use a stored login for a server with the same name and another address', async () => {
    const [server, other] = [await startProtectedServer(), await startProtectedServer()]
    const home = loginHome(visit)
    await home.logIn(server.url)
    const { source } = home.source(other.url)
    expect((await source.call('read', {}, contextOf())).error?.code).toBe('AUTH_REQUIRED')
    expect(other.sent.every((header) => header === undefined)).toBe(true)
  })

  it('renews a login when its token has expired, and replaces the refresh token', async () => {
    const server = await startProtectedServer({ lifetimeSeconds: 2 })
    const home = loginHome(visit)
    const before = await home.logIn(server.url)
    await waitForExpiry(server, before.tokens?.access_token)
    const { source } = home.source(server.url)
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
    const after = await home.find(server.url)
    expect(after?.tokens?.access_token).not.toBe(before.tokens?.access_token)
    expect(after?.tokens?.refresh_token).not.toBe(before.tokens?.refresh_token)
    expect(after?.tokens?.scope).toBe(before.tokens?.scope)
    expect(server.authorization.tokenRequests.at(-1)?.get('resource')).toBe(server.url)
    expect(home.secrets).toEqual(expect.arrayContaining([after?.tokens?.access_token, after?.tokens?.refresh_token]))
  })

  it('renews a login once for calls at the same time', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const { tokens } = await home.logIn(server.url)
    const { source } = home.source(server.url)
    await source.ensure(signal)
    await server.authorization.revoke(tokens?.access_token ?? '')
    const calls = Array.from({ length: 8 }, () => source.call('read', {}, contextOf()))
    expect((await Promise.all(calls)).map(({ data }) => data)).toEqual(Array(8).fill('did read'))
    expect(countRefreshes(server)).toBe(1)
  })

  it('renews a login once for two gateways at the same time', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const { tokens } = await home.logIn(server.url)
    const gateways = [home.source(server.url).source, home.source(server.url).source]
    for (const source of gateways) await source.ensure(signal)
    await server.authorization.revoke(tokens?.access_token ?? '')
    const results = await Promise.all(gateways.map((source) => source.call('read', {}, contextOf())))
    expect(results.map(({ data }) => data)).toEqual(['did read', 'did read'])
    expect(countRefreshes(server)).toBe(1)
  })

  it('a stored login works if the clock of this machine is behind, so that an expired token seems valid', async () => {
    const server = await startProtectedServer({ lifetimeSeconds: 2 })
    const home = loginHome(visit)
    const login = await home.logIn(server.url)
    await waitForExpiry(server, login.tokens?.access_token)
    const { source } = home.source(server.url, { now: () => Date.now() - HOUR_MS })
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
    expect(server.sent).toContain(`Bearer ${login.tokens?.access_token}`)
    expect(countRefreshes(server)).toBeGreaterThan(0)
  })

  it('a stored login works if the clock of this machine is ahead, so that a valid token seems expired', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const login = await home.logIn(server.url)
    const { source } = home.source(server.url, { now: () => Date.now() + 2 * HOUR_MS })
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
    expect(server.sent).not.toContain(`Bearer ${login.tokens?.access_token}`)
    expect(countRefreshes(server)).toBe(1)
  })

  it('a call succeeds if the token of the session was revoked before it', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const { tokens } = await home.logIn(server.url)
    const { source } = home.source(server.url)
    expect((await source.call('read', {}, contextOf())).success).toBe(true)
    await server.authorization.revoke(tokens?.access_token ?? '')
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
    expect(server.calls).toBe(2)
  })

  it('does not lose a call if its token is revoked while the call runs', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const { tokens } = await home.logIn(server.url)
    const { source } = home.source(server.url)
    const call = source.call('wait', {}, contextOf())
    await expect.poll(() => server.calls, { timeout: 5_000 }).toBe(1)
    await server.authorization.revoke(tokens?.access_token ?? '')
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
    server.release()
    expect((await call).data).toBe('did wait')
    expect(server.calls).toBe(2)
  })

  it('asks for a new login if the whole grant was revoked', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    await home.logIn(server.url)
    const { source } = home.source(server.url)
    expect((await source.call('read', {}, contextOf())).success).toBe(true)
    await server.authorization.revokeAll()
    const { error } = await source.call('read', {}, contextOf())
    expect(error).toMatchObject({ code: 'AUTH_REQUIRED', message: expect.stringContaining('expired or was revoked') })
    // The refused tokens are gone, and the registered client is kept.
    expect(await home.find(server.url)).toMatchObject({ client: { client_id: expect.any(String) } })
    expect((await home.find(server.url))?.tokens).toBeUndefined()
    await home.logIn(server.url)
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
  })

  it('keeps a login if the authorization server answers a renewal with HTTP 503', async () => {
    let isDown = false
    const server = await startProtectedServer({
      intercept(request, response) {
        if (!isDown || request.url !== '/token') return false
        response.writeHead(503).end()
        return true
      },
    })
    const home = loginHome(visit)
    const { tokens } = await home.logIn(server.url)
    const { source } = home.source(server.url)
    await source.ensure(signal)
    await server.authorization.revoke(tokens?.access_token ?? '')
    isDown = true
    const { error } = await source.call('read', {}, contextOf())
    expect(error?.code).toBe('TOOL_EXECUTION_ERROR')
    expect(error?.message).toContain('its login could not be renewed')
    isDown = false
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
  })

  it('a login ends for a running gateway when the user logs out', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    await home.logIn(server.url)
    const { source } = home.source(server.url)
    expect((await source.call('read', {}, contextOf())).success).toBe(true)
    await home.logins.remove({ server: 'tested', url: server.url, principal: LOCAL_OWNER.principal })
    expect((await source.call('read', {}, contextOf())).error?.code).toBe('AUTH_REQUIRED')
  })

  it('asks for more rights when a tool needs them, and the next login gets them', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    await home.logIn(server.url)
    const { source } = home.source(server.url)
    const { error } = await source.call('write', {}, contextOf())
    expect(error).toMatchObject({ code: 'AUTH_REQUIRED', message: expect.stringContaining('more rights (write)') })
    expect((await source.call('read', {}, contextOf())).success).toBe(true)
    const login = await home.logIn(server.url)
    expect(login.tokens?.scope?.split(' ')).toEqual(expect.arrayContaining(['read', 'write']))
    expect((await source.call('write', {}, contextOf())).data).toBe('did write')
  })
})

describe('the tokens of a login', () => {
  it('removes the tokens of a login from the errors of the server', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    await home.logIn(server.url)
    const { source } = home.source(server.url)
    const { error } = await source.call('leak', {}, contextOf())
    expect(error?.message).toContain('the token is [redacted]')
  })

  it('removes renewed tokens from the errors of the server', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const { tokens } = await home.logIn(server.url)
    const { source } = home.source(server.url)
    await source.ensure(signal)
    await server.authorization.revoke(tokens?.access_token ?? '')
    const { error } = await source.call('leak', {}, contextOf())
    expect(error?.message).toContain('the token is [redacted]')
  })

  it('does not send tokens to another origin that the server redirects to', async () => {
    const received: (string | undefined)[] = []
    const other = createServer((request, response) => {
      received.push(request.headers.authorization)
      response.writeHead(404).end()
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo // it listens on a port
    let isMoved = false
    const server = await startProtectedServer({
      interceptServer(_request, response) {
        if (isMoved) response.writeHead(307, { location: `http://127.0.0.1:${port}/mcp` }).end()
        return isMoved
      },
    })
    const home = loginHome(visit)
    await home.logIn(server.url)
    const { source } = home.source(server.url)
    await source.ensure(signal)
    isMoved = true
    expect((await source.call('read', {}, contextOf())).success).toBe(false)
    expect(received).toEqual([])
  })
})

async function waitForExpiry({ authorization }: ProtectedServer, token = ''): Promise<void> {
  const isExpired = async () => (await authorization.provider.AccessToken.find(token))?.isExpired ?? true
  await expect.poll(isExpired, { timeout: 5_000 }).toBe(true)
}
