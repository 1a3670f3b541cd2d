import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { visit } from '../../../../test/fixtures/browser.ts'
import { contextOf } from '../../source.fixture.ts'
import { loginHome } from './login.fixture.ts'
import { type ProtectedServerOptions, startProtectedServer } from './protected-server.fixture.ts'

const CLIENT = { clientId: 'robot', clientSecret: 'secret-of-the-robot' }

async function serverForRobots(options: ProtectedServerOptions = {}) {
  const clients = [
    {
      client_id: CLIENT.clientId,
      client_secret: CLIENT.clientSecret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ]
  const server = await startProtectedServer({ clients, ...options })
  const auth = {
    grant: 'client_credentials' as const,
    ...CLIENT,
    scopes: ['read'],
    issuer: server.authorization.issuer,
  }
  return { server, auth }
}

describe('the login of a machine', () => {
  it('a machine login gets a token by itself and stores nothing', async () => {
    const { server, auth } = await serverForRobots()
    const home = loginHome(visit)
    const { source } = home.source(server.url, { auth })
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
    expect(server.authorization.tokenRequests.map((request) => request.get('grant_type'))).toEqual([
      'client_credentials',
    ])
    expect(server.authorization.tokenRequests[0]?.get('resource')).toBe(server.url)
    expect(existsSync(join(home.stateDir, 'logins'))).toBe(false)
    expect(home.secrets).toContain(server.tokens[0])
  })

  it('a machine login gets another token when the token has expired', async () => {
    const { server, auth } = await serverForRobots({ lifetimeSeconds: 2 })
    const { source } = loginHome(visit).source(server.url, { auth })
    expect((await source.call('read', {}, contextOf())).success).toBe(true)
    const [token = ''] = server.tokens
    const isExpired = async () => (await server.authorization.provider.ClientCredentials.find(token))?.isExpired ?? true
    await expect.poll(isExpired, { timeout: 5_000 }).toBe(true)
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
    expect(new Set(server.tokens).size).toBeGreaterThan(1)
  })

  it('a machine login gets a token with more scopes when a tool needs them', async () => {
    const { server, auth } = await serverForRobots()
    const { source } = loginHome(visit).source(server.url, { auth })
    expect((await source.call('write', {}, contextOf())).data).toBe('did write')
    expect(server.authorization.tokenRequests.at(-1)?.get('scope')?.split(' ').toSorted()).toEqual(['read', 'write'])
  })

  it('a machine login does not send its secret to an authorization server that the config does not name', async () => {
    const { server, auth } = await serverForRobots()
    const { source } = loginHome(visit).source(server.url, { auth: { ...auth, issuer: 'https://login.example.com' } })
    const { error } = await source.call('read', {}, contextOf())
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', message: expect.stringContaining('gave no token') })
    expect(server.authorization.paths).not.toContain('/token')
  })

  it('a machine login reports wrong credentials without showing them', async () => {
    const { server, auth } = await serverForRobots()
    const { source } = loginHome(visit).source(server.url, { auth: { ...auth, clientSecret: 'a-wrong-secret' } })
    const { error } = await source.call('read', {}, contextOf())
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', message: expect.stringContaining('gave no token') })
    expect(JSON.stringify(error)).not.toContain('a-wrong-secret')
  })
})
