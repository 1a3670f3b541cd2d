// Logins at servers that all gateways share: encrypted in a real Redis, and renewed by one gateway at a time.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { storeKey } from '../../src/config/store-setting.ts'
import { openLogins } from '../../src/crib/open-logins.ts'
import { beginLogin } from '../../src/sources/upstream/auth/login-flow.ts'
import type { Login, LoginStore, LoginTarget } from '../../src/sources/upstream/auth/login-store.ts'
import { type ProtectedServer, startProtectedServer } from '../../src/sources/upstream/auth/protected-server.fixture.ts'
import { createStoredLogin } from '../../src/sources/upstream/auth/stored-login.ts'
import { chooseStore } from '../../src/storage/open-stores.ts'
import type { Store } from '../../src/storage/store.ts'
import { browser, run } from '../e2e/cli/harness.ts'
import { gatewayForTest } from '../e2e/gateway/harness.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { visit } from '../fixtures/browser.ts'
import { hasProgram, type RedisServer, redisCommand, startRedis } from '../fixtures/fleet/redis-server.ts'

const isInstalled = hasProgram('redis-server')
const never = new AbortController().signal
const KEY = randomBytes(32).toString('base64')
let redis: RedisServer

beforeAll(async () => {
  if (isInstalled) redis = await startRedis({ isDurable: true })
})
afterAll(async () => {
  if (isInstalled) await redis[Symbol.asyncDispose]()
})

interface Gateway {
  readonly logins: LoginStore
  readonly store: Store
  readonly problems: readonly string[]
}

/** The logins as one gateway opens them. */
async function gateway(url: string, key = KEY): Promise<Gateway> {
  const problems: string[] = []
  const onProblem = ({ message }: { readonly message: string }) => void problems.push(message)
  const store = chooseStore(url).open({ part: 'logins', dir: 'unused', onProblem })
  const openStore = () => store
  const variables = { TOOLCRIB_STORE_KEY: key }
  const opened = await openLogins({ stateDir: 'unused', key: storeKey(variables), openStore, onProblem })
  onTestFinished(() => opened[Symbol.asyncDispose]())
  expect(opened.isShared).toBe(true)
  return { logins: opened.logins, store, problems }
}

const target: LoginTarget = { server: 'github', url: 'https://mcp.example.com/mcp', principal: 'person:anna' }

function loginOf(issuer: string, savedAt: number): Login {
  const tokens = { access_token: `secret of ${issuer}`, token_type: 'Bearer' }
  return { ...target, issuer, clientId: 'c', tokens, discovery: { authorizationServerUrl: issuer }, savedAt }
}

async function logIn(server: ProtectedServer, logins: LoginStore, signal = AbortSignal.timeout(20_000)) {
  const connection = { type: 'http', url: server.url, headers: {} } as const
  const flow = await beginLogin({ server: 'remote', connection, logins, now: Date.now, signal, onSecrets: () => {} })
  await visit(flow.url)
  return flow.done
}

function authorizationAt(server: ProtectedServer, logins: LoginStore, now = Date.now) {
  const target = { server: 'remote', url: server.url, principal: 'local' }
  return createStoredLogin({ target, store: logins, auth: undefined, fetch, signal: never, now, onSecrets: () => {} })
}

function refreshes({ authorization }: ProtectedServer): number {
  return authorization.tokenRequests.filter((request) => request.get('grant_type') === 'refresh_token').length
}

describe.runIf(isInstalled)('logins in a shared store', () => {
  it('all gateways find the same logins, by server, address, principal and issuer', async () => {
    const url = redis.url()
    const [one, two] = [await gateway(url), await gateway(url)]
    await one.logins.save(loginOf('https://a.example.com', 1))
    await two.logins.save(loginOf('https://b.example.com', 2))
    expect((await one.logins.find(target))?.issuer).toBe('https://b.example.com')
    expect((await two.logins.read(target, 'https://a.example.com'))?.savedAt).toBe(1)
    for (const other of [
      { ...target, server: 'other' },
      { ...target, url: 'https://evil.example.com/mcp' },
      { ...target, principal: 'person:ben' },
    ])
      expect(await two.logins.find(other)).toBeUndefined()
    await two.logins.replace(loginOf('https://c.example.com', 3))
    expect(await one.logins.read(target, 'https://a.example.com')).toBeUndefined()
    expect((await one.logins.remove(target)).map(({ issuer }) => issuer)).toEqual(['https://c.example.com'])
    expect(await two.logins.find(target)).toBeUndefined()
  })

  it('logins are encrypted in Redis, and neither readable with another key nor in another entry', async () => {
    const url = redis.url()
    const prefix = new URL(url).searchParams.get('prefix')
    const [one, other] = [await gateway(url), await gateway(url, randomBytes(32).toString('hex'))]
    await one.logins.save(loginOf('https://a.example.com', 1))
    const scanned = await redisCommand(redis, `SCAN 0 MATCH ${prefix}:1:logins:* COUNT 10000`)
    const [name = ''] = scanned.split('\r\n').filter((line) => line.startsWith(`${prefix}`))
    const raw = await redisCommand(redis, `GET ${name}`)
    expect(raw).toMatch(/^\$\d+\r\n"1\.[0-9a-f]{8}\.[\w+/=]+"/)
    for (const word of ['secret', 'github', 'example.com', 'anna']) expect(raw).not.toContain(word)
    expect(await other.logins.find(target)).toBeUndefined()
    expect(other.problems).toEqual([expect.stringContaining('encrypted with another key')])
    // A person with write access to Redis cannot give the login of Anna to Ben.
    const ben = { ...target, principal: 'person:ben' }
    await one.logins.save({ ...loginOf('https://a.example.com', 1), ...ben })
    const both = (await redisCommand(redis, `SCAN 0 MATCH ${prefix}:1:logins:* COUNT 10000`)).split('\r\n')
    const [ofBen = ''] = both.filter((line) => line.startsWith(`${prefix}`) && line !== name)
    await redisCommand(redis, `COPY ${name} ${ofBen} REPLACE`)
    expect(await one.logins.find(ben)).toBeUndefined()
    expect(one.problems).toEqual([expect.stringContaining('copied from another entry')])
    expect((await one.logins.find(target))?.tokens?.access_token).toBe('secret of https://a.example.com')
  })

  it('three gateways that need a login at the same time renew it once, so that no refresh token is used twice', async () => {
    const server = await startProtectedServer()
    const url = redis.url()
    const gateways = [await gateway(url), await gateway(url), await gateway(url)]
    const login = await logIn(server, gateways[0]?.logins ?? expect.fail())
    const before = login.tokens?.access_token ?? ''
    const renewed = await Promise.all(gateways.map(({ logins }) => authorizationAt(server, logins).renew(before, {})))
    expect(new Set(renewed).size).toBe(1)
    expect(renewed[0]).not.toBe(before)
    expect(refreshes(server)).toBe(1)
    // The refresh token was rotated, and the next renewal by another gateway works with the new one.
    expect(await authorizationAt(server, gateways[2]?.logins ?? expect.fail()).renew(renewed[0], {})).toMatch(/./)
    expect(refreshes(server)).toBe(2)
  })

  it('a gateway does not renew a login while Redis is out of reach, and uses the token as long as the server accepts it', async () => {
    const server = await startProtectedServer()
    const one = await gateway(redis.url())
    const login = await logIn(server, one.logins)
    const token = login.tokens?.access_token
    const later = () => (login.expiresAt ?? 0) - 1
    const authorization = authorizationAt(server, one.logins, later)
    await one.logins.find({ server: 'remote', url: server.url, principal: 'local' })
    await redis.stop('SIGKILL')
    try {
      const startedAt = performance.now()
      expect(await authorization.token()).toBe(token)
      await expect(authorization.renew(token, {})).rejects.toThrow(/could not be renewed: Redis .* cannot be reached/)
      expect(performance.now() - startedAt).toBeLessThan(5_000)
      expect(refreshes(server)).toBe(0)
    } finally {
      await redis.start()
    }
    await expect.poll(() => one.store.isDegraded?.()).toBe(false)
    expect(await authorization.token()).not.toBe(token)
    expect(refreshes(server)).toBe(1)
  })

  it.each([
    ['of a few letters', 'short-word'],
    ['of other characters than hex', 'x'.repeat(64)],
    ['of 16 bytes', randomBytes(16).toString('base64')],
  ])('a gateway refuses a key %s', (_, text) => {
    expect(() => storeKey({ TOOLCRIB_STORE_KEY: text })).toThrow(/not a key of 32 bytes in base64 or hex/)
    expect(() => storeKey({ TOOLCRIB_STORE_KEY: text })).not.toThrow(text)
  })
})

describe.runIf(isInstalled)('toolcrib login with a shared store', () => {
  it('toolcrib login logs in a gateway on another machine, and logout ends the login there', async () => {
    const server = await startProtectedServer()
    const config = { store: redis.url(), discovery: { servers: { remote: { url: server.url } } } }
    const env = { TOOLCRIB_STORE_KEY: KEY }
    const running = await gatewayForTest({ door: 'http', config, env })
    const client = await running.connect()
    const read = async () => (await client.run({ server: 'remote', tool: 'read' })).structuredContent
    expect(await read()).toMatchObject({ error: { code: 'AUTH_REQUIRED' } })
    const home = homeForTest()
    home.write('gateway.json', config)
    const command = (...args: readonly string[]) =>
      run({ cwd: home.path, env: { ...home.env, ...env, BROWSER: browser } }, [...args, '--config', home.config])
    expect(await command('login', 'remote')).toMatchObject({ code: 0, stdout: expect.stringContaining('Logged in') })
    expect(await read()).toMatchObject({ success: true, result: 'did read' })
    // No file on either machine has the login.
    for (const { state } of [home, running.home]) expect(existsSync(join(state, 'logins'))).toBe(false)
    expect(await command('logout', 'remote')).toMatchObject({
      code: 0,
      stdout: "Logged out of 'remote'. Its tokens are removed from the shared store.\n",
    })
    expect(await read()).toMatchObject({ success: false })
  })

  it('a gateway without the key keeps logins on its own machine, and reports it in its log', async () => {
    const server = await startProtectedServer()
    const config = { store: redis.url(), discovery: { servers: { remote: { url: server.url } } } }
    const running = await gatewayForTest({ door: 'http', config })
    const client = await running.connect()
    expect((await client.run({ server: 'remote', tool: 'read' })).structuredContent).toMatchObject({
      error: { code: 'AUTH_REQUIRED' },
    })
    expect(running.stderr).toContain('logins at servers are kept on this machine only')
    const prefix = new URL(config.store).searchParams.get('prefix')
    expect(await redisCommand(redis, `SCAN 0 MATCH ${prefix}:1:logins:* COUNT 10000`)).not.toContain('logins')
  })
})
