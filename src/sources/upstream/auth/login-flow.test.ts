import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { visit } from '../../../../test/fixtures/browser.ts'
import { contextOf } from '../../source.fixture.ts'
import { freePort } from '../http.fixture.ts'
import { loginHome } from './login.fixture.ts'
import type { Login } from './login-store.ts'
import { type ProtectedServer, startProtectedServer } from './protected-server.fixture.ts'

describe('a login of a person', () => {
  it('finds the authorization server, registers a client, uses PKCE and the resource, and stores the tokens', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const flow = await home.begin(server.url)
    const address = new URL(flow.url)
    expect(address.origin).toBe(server.authorization.issuer)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: server.url,
      scope: 'read offline_access',
      redirect_uri: flow.redirectUrl,
    })
    const page = await visit(flow.url)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("logged in to 'tested'") })
    const login = await flow.done
    expect(login).toMatchObject({ issuer: server.authorization.issuer, resource: server.url, principal: 'local' })
    const [exchange] = server.authorization.tokenRequests
    expect(exchange?.get('grant_type')).toBe('authorization_code')
    expect(exchange?.get('resource')).toBe(server.url)
    expect(exchange?.get('code_verifier')).toMatch(/^[\w.~-]{43,128}$/)
    expect(home.secrets).toEqual(
      expect.arrayContaining([login.tokens?.access_token, login.tokens?.refresh_token, exchange?.get('code_verifier')]),
    )
    expect(await home.find(server.url)).toEqual(login)

    const { source } = home.source(server.url)
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
    expect(new Set(server.tokens)).toEqual(new Set([login.tokens?.access_token]))
  })

  it('stores the tokens in files that only this user can read', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    await home.logIn(server.url)
    const dir = join(home.stateDir, 'logins')
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    const files = readdirSync(dir)
    expect(files).toHaveLength(1)
    for (const file of files) expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600)
  })
})

describe('the discovery of a login', () => {
  it.each([
    ['OAuth metadata (RFC 8414)', '/.well-known/openid-configuration'],
    ['OpenID Connect discovery', '/.well-known/oauth-authorization-server'],
  ])('a login works with %s only', async (_, hidden) => {
    const server = await startProtectedServer({ hidden: [hidden] })
    const login = await loginHome(visit).logIn(server.url)
    expect(login.tokens?.access_token).toBeTypeOf('string')
  })

  it('a login works without a link to the metadata in the challenge', async () => {
    const server = await startProtectedServer({ withoutMetadataLink: true })
    const home = loginHome(visit)
    const { source } = home.source(server.url)
    expect((await source.call('read', {}, contextOf())).error?.code).toBe('AUTH_REQUIRED')
    await home.logIn(server.url)
    expect((await source.call('read', {}, contextOf())).data).toBe('did read')
  })

  it('does not send the configured headers of a server to its authorization server', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    await home.logIn(server.url)
    const { source } = home.source(server.url, { headers: { 'x-tenant': 'secret-tenant' } })
    expect((await source.call('read', {}, contextOf())).success).toBe(true)
    expect(JSON.stringify(server.authorization.headers)).not.toContain('secret-tenant')
  })
})

describe('the client of a login', () => {
  it('registers a client once, and the next login uses it again', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const first = await home.logIn(server.url)
    const second = await home.logIn(server.url)
    expect(second.clientId).toBe(first.clientId)
    expect(server.authorization.paths.filter((path) => path === '/reg')).toHaveLength(1)
  })

  it('uses a client that was registered by hand, and does not store its secret with the tokens', async () => {
    const redirectPort = await freePort()
    const clients = [
      {
        client_id: 'by-hand',
        client_secret: 'very-secret-value',
        redirect_uris: [`http://127.0.0.1:${redirectPort}/callback`],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ]
    const server = await startProtectedServer({ clients, withoutRegistration: true, lifetimeSeconds: 2 })
    const home = loginHome(visit)
    const auth = { clientId: 'by-hand', clientSecret: 'very-secret-value', scopes: ['read', 'write'], redirectPort }
    const flow = await home.begin(server.url, auth)
    expect(new URL(flow.url).searchParams.get('client_id')).toBe('by-hand')
    expect(new URL(flow.url).searchParams.get('scope')).toContain('read write')
    await visit(flow.url)
    const login = await flow.done
    expect(JSON.stringify(login)).not.toContain('very-secret-value')
    await waitForExpiry(server, login)
    // The secret of the config is used to renew the token.
    const { source } = home.source(server.url, { auth })
    expect((await source.call('write', {}, contextOf())).data).toBe('did write')
    expect(server.authorization.tokenRequests.at(-1)?.get('grant_type')).toBe('refresh_token')
  })

  it('uses a client id metadata document as the client', async () => {
    const document = 'https://clients.example.com/toolcrib.json'
    const redirectPort = await freePort()
    const metadata = {
      client_id: document,
      client_name: 'Toolcrib',
      redirect_uris: [`http://127.0.0.1:${redirectPort}/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    }
    const server = await startProtectedServer({ documents: { [document]: metadata } })
    const login = await loginHome(visit).logIn(server.url, { clientMetadataUrl: document, redirectPort })
    expect(login.clientId).toBe(document)
    expect(server.authorization.paths).not.toContain('/reg')
  })

  it('needs a client in the config if the authorization server registers none', async () => {
    const server = await startProtectedServer({ withoutRegistration: true })
    await expect(loginHome(visit).logIn(server.url)).rejects.toThrow('auth.clientId')
  })

  it('refuses a login if the config names another issuer', async () => {
    const server = await startProtectedServer()
    const auth = { clientId: 'x', clientSecret: 'very-secret-value', issuer: 'https://login.example.com' }
    await expect(loginHome(visit).begin(server.url, auth)).rejects.toThrow('allows only https://login.example.com')
    expect(server.authorization.paths).not.toContain('/token')
  })
})

describe('the redirect of a login', () => {
  it('ignores a redirect with another state, and the login goes on', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const flow = await home.begin(server.url)
    for (const query of ['?code=stolen', '?code=stolen&state=guessed', '']) {
      expect((await fetch(`${flow.redirectUrl}${query}`)).status).toBe(400)
    }
    expect((await fetch(flow.redirectUrl.replace('/callback', '/other'))).status).toBe(404)
    await visit(flow.url)
    expect((await flow.done).issuer).toBe(server.authorization.issuer)
    expect(server.authorization.tokenRequests).toHaveLength(1)
  })

  it('answers a redirect under another host name with 404', async () => {
    const server = await startProtectedServer()
    const flow = await loginHome(visit).begin(server.url)
    const { port } = new URL(flow.redirectUrl)
    const status = await new Promise((resolve, reject) => {
      const { search } = new URL(`${flow.redirectUrl}?code=x&state=${new URL(flow.url).searchParams.get('state')}`)
      get({ host: '127.0.0.1', port, path: `/callback${search}`, headers: { host: 'evil.example.com' } }, (response) =>
        resolve(response.statusCode),
      ).on('error', reject)
    })
    expect(status).toBe(404)
    flow.close()
  })

  it('refuses a redirect that names another issuer', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const flow = await home.begin(server.url)
    const change = (address: URL) => {
      if (address.href.startsWith(flow.redirectUrl)) address.searchParams.set('iss', 'https://evil.example.com')
    }
    expect((await visit(flow.url, { change })).status).toBe(400)
    await expect(flow.done).rejects.toThrow(/issuer/i)
    expect(server.authorization.tokenRequests).toHaveLength(0)
    expect(await home.find(server.url)).toBeUndefined()
  })

  it('shows no text of a refusal by another issuer', async () => {
    const server = await startProtectedServer()
    const flow = await loginHome(visit).begin(server.url)
    const state = new URL(flow.url).searchParams.get('state') ?? ''
    const query = new URLSearchParams({
      state,
      error: 'x',
      error_description: 'Call me',
      iss: 'https://evil.example.com',
    })
    await fetch(`${flow.redirectUrl}?${query}`)
    await expect(flow.done).rejects.toThrow(/issuer/i)
    await expect(flow.done).rejects.not.toThrow('Call me')
  })

  it('reports a refusal of the user', async () => {
    const server = await startProtectedServer()
    const flow = await loginHome(visit).begin(server.url)
    const change = (address: URL) => {
      if (!address.href.startsWith(flow.redirectUrl)) return
      address.searchParams.delete('code')
      address.searchParams.set('error', 'access_denied')
      address.searchParams.set('error_description', 'The user said no')
    }
    await visit(flow.url, { change })
    await expect(flow.done).rejects.toThrow('refused the login: The user said no (access_denied)')
  })

  it('accepts the redirect of this login if the user pastes it, and no other address', async () => {
    const server = await startProtectedServer()
    const home = loginHome(visit)
    const flow = await home.begin(server.url)
    const stopsAt = (address: URL) => address.href.startsWith(flow.redirectUrl)
    const { addresses } = await visit(flow.url, { stopsAt })
    const redirected = addresses.at(-1) ?? ''
    const elsewhere = redirected.replace('127.0.0.1', 'evil.example.com')
    await expect(flow.paste(elsewhere)).rejects.toThrow('not the address of the redirect')
    await expect(flow.paste('nonsense')).rejects.toThrow('not the address of the redirect')
    await expect(flow.paste(redirected.replace(/state=[^&]*/, 'state=x'))).rejects.toThrow('another login')
    expect((await flow.paste(` ${redirected}\n`)).issuer).toBe(server.authorization.issuer)
    flow.close()
  })

  it('does not wait for the redirect after the signal aborts', async () => {
    const server = await startProtectedServer()
    const stopping = new AbortController()
    const flow = await loginHome(visit).begin(server.url, undefined, { signal: stopping.signal })
    stopping.abort(new Error('stopped'))
    await expect(flow.done).rejects.toThrow('stopped')
    await expect(fetch(flow.redirectUrl)).rejects.toThrow('fetch failed')
  })
})

describe('a server or an authorization server that cannot be trusted', () => {
  it('refuses an authorization server if its metadata name another issuer', async () => {
    const server = await startProtectedServer({
      changeMetadata(metadata) {
        metadata.issuer = 'https://evil.example.com'
      },
    })
    await expect(loginHome(visit).begin(server.url)).rejects.toThrow(/issuer/i)
    expect(server.authorization.paths).not.toContain('/reg')
  })

  it.each([
    ['no list of PKCE methods', undefined],
    ['only plain PKCE', ['plain']],
  ])('refuses an authorization server that has %s', async (_, methods) => {
    const server = await startProtectedServer({
      changeMetadata(metadata) {
        metadata.code_challenge_methods_supported = methods
      },
    })
    await expect(loginHome(visit).begin(server.url)).rejects.toThrow('PKCE with S256')
    expect(server.authorization.paths).not.toContain('/reg')
  })

  it('an authorization server cannot redirect the code of a login from its token endpoint to another origin', async () => {
    const reached: string[] = []
    const other = createServer((request, response) => {
      reached.push(request.url ?? '')
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo // it listens on a port
    const server = await startProtectedServer({
      intercept(request, response) {
        if (request.url !== '/token') return false
        response.writeHead(307, { location: `http://127.0.0.1:${port}/token` }).end()
        return true
      },
    })
    await expect(loginHome(visit).logIn(server.url)).rejects.toThrow()
    expect(reached).toEqual([])
  })

  it('refuses a server if its metadata are about another resource', async () => {
    const server = await startProtectedServer({ resource: 'https://evil.example.com/mcp' })
    await expect(loginHome(visit).begin(server.url)).rejects.toThrow('does not match')
  })

  it('refuses a login to a server without TLS', async () => {
    await expect(loginHome(visit).begin('http://tools.example.com/mcp')).rejects.toThrow('https')
  })
})

async function waitForExpiry({ authorization }: ProtectedServer, { tokens }: Login): Promise<void> {
  const token = tokens?.access_token ?? ''
  await expect
    .poll(async () => (await authorization.provider.AccessToken.find(token))?.isExpired ?? true, { timeout: 5_000 })
    .toBe(true)
}
