// The checks of access tokens, with a real authorization server on loopback.

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from '../sources/upstream/auth/authorization-server.fixture.ts'
import { digest, type Identity, type LoginRefusal } from './auth.ts'
import { createTokenVerifier, type OAuthOptions } from './oauth.ts'

const AUDIENCE = 'https://tools.example.com/mcp'
const scopes = {
  'tools:read': { readOnly: true },
  'tools:files': { servers: ['files'] },
  'tools:all': {},
}
const defaults = { audience: AUDIENCE, claim: 'scope', principalClaim: 'sub', scopes }

function open(options: Partial<OAuthOptions> & Pick<OAuthOptions, 'issuer'>) {
  const problems: string[] = []
  const verifier = createTokenVerifier({ ...defaults, ...options }, (message) => void problems.push(message))
  const verify = (token: string): Promise<Identity | LoginRefusal> =>
    verifier.verify(token, digest(token).toString('base64url'))
  return { verify, problems, metadata: verifier.metadata, principals: verifier.principals }
}

/** A real authorization server, and a function that gets tokens from it like a program of the company. */
async function startCompany(options: AuthorizationServerOptions = {}) {
  const server = await startAuthorizationServer(() => AUDIENCE, {
    issuesJwts: true,
    scopes: [...Object.keys(scopes), 'email:send'],
    clients: [
      {
        client_id: 'robot',
        client_secret: 'the secret of the robot',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    ...options,
  })
  const tokenFor = async (scope: string): Promise<string> => {
    const answer = await fetch(`${server.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('robot:the+secret+of+the+robot').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource: AUDIENCE }),
    })
    const { access_token: token } = (await answer.json()) as { access_token: string } // an answer of the server
    return token
  }
  return { ...server, tokenFor }
}

describe('an access token of a real authorization server', () => {
  it('gives the owner of a token the rights of its scopes until it expires', async () => {
    const company = await startCompany()
    const { verify, principals, problems } = open({ issuer: company.issuer })
    const login = await verify(await company.tokenFor('tools:files email:send'))
    expect(login).toEqual({
      principal: 'oauth:robot',
      rights: { servers: ['files'] },
      expiresAt: expect.any(Number),
    })
    const { expiresAt = 0 } = login as Identity // checked above
    expect(expiresAt).toBeGreaterThan(Date.now() + 3_500_000)
    expect(expiresAt).toBeLessThan(Date.now() + 3_700_000)
    expect(principals()).toEqual(['oauth:robot'])
    expect(problems).toEqual([])
  })

  it('gives a token with several scopes the union of their rights', async () => {
    const company = await startCompany()
    const { verify } = open({ issuer: company.issuer })
    expect(await verify(await company.tokenFor('tools:read tools:files'))).toMatchObject({
      rights: { anyOf: [{ servers: ['files'] }, { readOnly: true }] },
    })
    expect(await verify(await company.tokenFor('tools:read tools:all'))).not.toHaveProperty('rights')
  })

  it('refuses a token without a scope that the configuration names', async () => {
    const company = await startCompany()
    const { verify } = open({ issuer: company.issuer })
    expect(await verify(await company.tokenFor('email:send'))).toEqual({ refused: 'insufficient-scope' })
    const none = open({ issuer: company.issuer, scopes: {} })
    expect(await none.verify(await company.tokenFor('tools:all'))).toEqual({ refused: 'insufficient-scope' })
  })

  it('refuses a token for another audience or from another issuer', async () => {
    const [company, other] = [await startCompany(), await startCompany()]
    const token = await company.tokenFor('tools:all')
    const refused = { refused: 'unknown-token' }
    expect(await open({ issuer: company.issuer, audience: 'https://other.example.com' }).verify(token)).toEqual(refused)
    expect(await open({ issuer: other.issuer }).verify(token)).toEqual(refused)
  })

  it('fetches metadata and keys once, and gives tokens with the same scopes the same rights object', async () => {
    const company = await startCompany()
    const { verify } = open({ issuer: company.issuer })
    const token = await company.tokenFor('tools:read')
    const logins = await Promise.all(Array.from({ length: 20 }, () => verify(token)))
    expect(await verify(token)).toEqual(logins[0])
    const fetched = (path: string) => company.paths.filter((one) => one === path).length
    expect(fetched('/.well-known/openid-configuration')).toBe(1)
    expect(fetched('/jwks')).toBe(1)
    // The token is valid, so each login is an identity.
    const rights = await Promise.all(
      [await company.tokenFor('tools:read'), token].map(async (one) => ((await verify(one)) as Identity).rights),
    )
    expect(rights[0]).toBe(rights[1])
  })

  it('accepts a token with `jwksUri`, without the metadata of the issuer', async () => {
    const company = await startCompany({ hidden: ['/.well-known/openid-configuration'] })
    const token = await company.tokenFor('tools:all')
    expect(await open({ issuer: company.issuer, jwksUri: `${company.issuer}/jwks` }).verify(token)).toHaveProperty(
      'principal',
    )
    expect(company.paths.some((path) => path.startsWith('/.well-known/'))).toBe(false)
  })

  it('refuses a token and reports the problem if the metadata belongs to another issuer', async () => {
    const company = await startCompany({
      changeMetadata(metadata) {
        metadata.issuer = 'https://evil.example.com'
      },
    })
    const { verify, problems } = open({ issuer: company.issuer })
    expect(await verify(await company.tokenFor('tools:all'))).toEqual({ refused: 'keys-unavailable' })
    expect(problems).toEqual([expect.stringContaining('belongs to another issuer')])
    // The metadata is requested once, and not again for each of the next tokens.
    await Promise.all(Array.from({ length: 10 }, () => verify('a.b.c')))
    expect(problems).toHaveLength(1)
  })
})

describe('the principals of a company', () => {
  it('lists a person until the token of this person expires, even if the token is no longer accepted', async () => {
    let hasKeys = true
    const { issuer, sign, keys } = await startIssuer((response) =>
      response.end(JSON.stringify(hasKeys ? keys : { keys: [] })),
    )
    const { verify, principals } = open({ issuer })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    onTestFinished(() => void vi.useRealTimers())
    const exp = Math.floor(Date.now() / 1_000) + 3_600
    const token = await sign({ iss: issuer, aud: AUDIENCE, sub: 'ada', scope: 'tools:all', exp })
    expect(await verify(token)).toMatchObject({ principal: 'oauth:ada' })
    // The issuer withdraws the key. A stream of this person may still be open.
    hasKeys = false
    vi.setSystemTime(Date.now() + 15 * 60_000)
    expect(await verify(token)).toEqual({ refused: 'unknown-token' })
    expect(principals()).toEqual(['oauth:ada'])
    vi.setSystemTime(Date.now() + 60 * 60_000)
    expect(principals()).toEqual([])
  })
})

describe('a token of an issuer that the test controls', () => {
  it('refuses a token with a wrong claim, algorithm or key', async () => {
    const { issuer, sign, publicPem } = await startIssuer()
    const { verify } = open({ issuer })
    const now = Math.floor(Date.now() / 1_000)
    const good = { iss: issuer, aud: AUDIENCE, sub: 'ada', scope: 'tools:all', exp: now + 60 }
    expect(await verify(await sign(good))).toMatchObject({ principal: 'oauth:ada' })
    const { exp: _exp, ...endless } = good
    const { sub: _sub, ...nameless } = good
    const wrong: Readonly<Record<string, unknown>>[] = [
      { ...good, iss: `${issuer}/` },
      { ...good, aud: 'other' },
      { ...good, iss: undefined },
      { ...good, aud: undefined },
      { ...good, aud: `${AUDIENCE}/more` },
      { ...good, aud: AUDIENCE.slice(0, -1) },
      { ...good, aud: [] },
      { ...good, nbf: now + 60 },
      // Claims of a wrong type, as no authorization server sends them.
      { ...good, nbf: String(now) },
      { ...good, exp: String(now + 60) },
      { ...good, iss: [issuer] },
      { ...good, aud: { value: AUDIENCE } },
      { ...good, sub: ['ada'] },
      { ...good, sub: '' },
      { ...good, sub: 'x'.repeat(300) },
      endless,
      nameless,
    ]
    for (const claims of wrong)
      expect(await verify(await sign(claims)), JSON.stringify(claims)).toEqual({ refused: 'unknown-token' })
    expect(await verify(await sign({ ...good, exp: now - 60 }))).toEqual({ refused: 'expired' })
    const stranger = await generateKeyPair('RS256')
    const signed = (header: JWTHeaderParameters, key: Parameters<SignJWT['sign']>[0]) =>
      new SignJWT(good).setProtectedHeader(header).sign(key)
    const forged = [
      await signed({ alg: 'RS256', kid: 'one' }, stranger.privateKey),
      // Keys that the token itself brings or points to.
      await signed({ alg: 'RS256', jwk: await exportJWK(stranger.publicKey) }, stranger.privateKey),
      await signed({ alg: 'RS256', kid: '../one', jku: `${issuer}/x`, x5u: `${issuer}/x` }, stranger.privateKey),
      await signed({ alg: 'RS256', kid: '__proto__' }, stranger.privateKey),
      // The public key as a shared secret, and no signature at all.
      await signed({ alg: 'HS256', kid: 'one' }, new TextEncoder().encode(publicPem)),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(good)).toString('base64url')}.`,
      `${(await sign(good)).slice(0, -4)}AAAA`,
      'a.b.c',
    ]
    for (const token of forged) expect(await verify(token)).toEqual({ refused: 'unknown-token' })
  })

  it('gives no rights for scopes that are names of Object.prototype', async () => {
    const { issuer, sign } = await startIssuer()
    const exp = Math.floor(Date.now() / 1_000) + 60
    const token = await sign({ iss: issuer, aud: AUDIENCE, sub: 'ada', scope: 'constructor __proto__ toString', exp })
    expect(await open({ issuer }).verify(token)).toEqual({ refused: 'insufficient-scope' })
  })

  it('refuses a token if the document with the keys redirects elsewhere or never ends', async () => {
    const redirecting = await startIssuer((response) =>
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    )
    const endless = await startIssuer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(`{"keys":[],"x":"${'x'.repeat(2 * 1024 * 1024)}`)
    })
    for (const { issuer, sign } of [redirecting, endless]) {
      const { verify, problems } = open({ issuer })
      const exp = Math.floor(Date.now() / 1_000) + 60
      const token = await sign({ iss: issuer, aud: AUDIENCE, sub: 'ada', scope: 'tools:all', exp })
      expect(await verify(token)).toEqual({ refused: 'keys-unavailable' })
      expect(problems.length).toBeLessThanOrEqual(1)
    }
  })

  it.each([
    ['HTTP 503', 503, '{"keys":[]}'],
    ['not valid JSON', 200, '<html>'],
    ['no list of keys', 200, '{"keys":[1]}'],
  ])(
    'sends one request for several tokens, and reports the problem once, if the keys are %s',
    async (why, status, text) => {
      let requests = 0
      const { issuer, sign } = await startIssuer((response) => {
        requests++
        response.writeHead(status, { 'content-type': 'application/json' }).end(text)
      })
      const { verify, problems } = open({ issuer })
      const exp = Math.floor(Date.now() / 1_000) + 60
      for (const sub of ['ada', 'bob', 'eve']) {
        const token = await sign({ iss: issuer, aud: AUDIENCE, sub, scope: 'tools:all', exp })
        expect(await verify(token)).toEqual({ refused: 'keys-unavailable' })
      }
      expect(requests).toBe(1)
      expect(problems).toEqual([expect.stringContaining(why)])
    },
  )

  it('reports the HTTP status of each address that has no metadata', async () => {
    const { issuer } = await startIssuer(undefined, (path) => (path.includes('openid') ? 503 : 404))
    const { verify, problems } = open({ issuer })
    expect(await verify('a.b.c')).toEqual({ refused: 'keys-unavailable' })
    expect(problems).toEqual([
      `the keys of the authorization server ${issuer} cannot be read: its metadata cannot be read at ${issuer}/.well-known/openid-configuration (HTTP 503) or ${issuer}/.well-known/oauth-authorization-server (HTTP 404)`,
    ])
  })

  it('takes the rights from the list in `claim`, and the name from `principalClaim`', async () => {
    const { issuer, sign } = await startIssuer()
    const exp = Math.floor(Date.now() / 1_000) + 60
    const token = await sign({ iss: issuer, aud: [AUDIENCE, 'x'], groups: ['staff', 7], email: 'ada@example.com', exp })
    const { verify } = open({ issuer, claim: 'groups', principalClaim: 'email', scopes: { staff: { readOnly: true } } })
    expect(await verify(token)).toMatchObject({ principal: 'oauth:ada@example.com', rights: { readOnly: true } })
  })
})

describe('the metadata of the resource', () => {
  it('names the audience as the resource if it is an address, else the address of the request', () => {
    const issuer = 'https://login.example.com'
    expect(open({ issuer }).metadata('http://localhost:1/mcp')).toEqual({
      resource: AUDIENCE,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['tools:read', 'tools:files', 'tools:all'],
    })
    expect(open({ issuer, audience: 'toolcrib' }).metadata('http://localhost:1/mcp')).toMatchObject({
      resource: 'http://localhost:1/mcp',
    })
  })
})

/** An issuer with a key of the test, for tokens that no real server would sign. */
async function startIssuer(
  answerKeys?: (response: ServerResponse) => void,
  statusOf: (path: string) => number = () => 200,
) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const http = createServer((request, response) => {
    if (request.url === '/jwks' && answerKeys !== undefined) return answerKeys(response)
    const document = request.url === '/jwks' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/jwks` }
    const status = statusOf(request.url ?? '')
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}` // it listens on a port
  const sign = (claims: Readonly<Record<string, unknown>>) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)
  return { issuer, sign, keys: { keys: [jwk] }, publicPem: JSON.stringify(jwk) }
}
