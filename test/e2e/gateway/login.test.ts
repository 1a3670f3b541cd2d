// Servers that need a login: the gateway offers it to a client that can open an address, and reports it otherwise.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type ProtectedServer,
  startProtectedServer,
} from '../../../src/sources/upstream/auth/protected-server.fixture.ts'
import { visit } from '../../fixtures/browser.ts'
import { type ClientSettings, eras, type GatewayClient, type ReceivedQuestion } from './client.ts'
import { combinations, gatewayForTest, OVER, type TestGatewayOptions } from './harness.ts'
import { homeForTest } from './home.ts'

const READ = { server: 'remote', tool: 'read' }

function configFor({ url }: ProtectedServer, more: object = {}) {
  return { discovery: { servers: { remote: { url } } }, audit: { values: true }, ...more }
}

/** Answers an offer as a person who opens the address and logs in. */
async function loggingIn({ params }: ReceivedQuestion) {
  void visit(String(params.url))
  return { action: 'accept' }
}

/** The structured answer of execute_tool. */
async function execute(client: GatewayClient, args: object) {
  return (await client.run({ ...args })).structuredContent
}

async function connected(options: TestGatewayOptions, settings: ClientSettings) {
  const gateway = await gatewayForTest(options)
  return { gateway, client: await gateway.connect(settings) }
}

describe.each(combinations)(OVER, ({ door, era }) => {
  it('the gateway offers the address of the login to the client, and the call goes on when the user has logged in', async () => {
    const server = await startProtectedServer()
    const { client } = await connected({ door, config: configFor(server) }, { era, reply: loggingIn })
    expect(await execute(client, READ)).toMatchObject({ success: true, result: 'did read' })
    expect(client.asked).toMatchObject([
      {
        method: 'elicitation/create',
        params: { mode: 'url', message: expect.stringContaining("'remote' needs a login"), url: expect.any(String) },
      },
    ])
    // The next call needs no login.
    expect(await execute(client, READ)).toMatchObject({ success: true })
    expect(client.asked).toHaveLength(1)
  })

  it('the gateway fails the call with AUTH_REQUIRED and the login command if the client declines', async () => {
    const server = await startProtectedServer()
    const reply = () => ({ action: 'decline' })
    const { client } = await connected({ door, config: configFor(server) }, { era, reply })
    const answer = await execute(client, READ)
    expect(answer).toMatchObject({ success: false, error: { code: 'AUTH_REQUIRED' } })
    expect(JSON.stringify(answer)).toContain('toolcrib login remote')
    expect(server.authorization.paths).not.toContain('/token')
  })
})

describe.each(eras)('a client of the %s era that cannot be asked', (era) => {
  it('a client that cannot be asked gets AUTH_REQUIRED with the login command, which list_mcp_servers shows too', async () => {
    const server = await startProtectedServer()
    const { client } = await connected({ config: configFor(server) }, { era })
    const answer = await execute(client, READ)
    expect(answer).toMatchObject({
      success: false,
      error: { code: 'AUTH_REQUIRED', suggestion: expect.stringContaining('`toolcrib login remote`') },
    })
    expect(await client.ask('list_mcp_servers')).toMatchObject({
      servers: [{ name: 'remote', status: 'disconnected', reason: 'it needs login: run `toolcrib login remote`' }],
    })
    expect(server.authorization.paths.filter((path) => ['/auth', '/reg', '/token'].includes(path))).toEqual([])
  })
})

describe('a login', () => {
  it('the gateway offers the login again for a tool that needs a wider scope, and that call continues after the login', async () => {
    const server = await startProtectedServer()
    const { client } = await connected({ config: configFor(server) }, { reply: loggingIn })
    expect(await execute(client, READ)).toMatchObject({ success: true })
    expect(await execute(client, { server: 'remote', tool: 'write' })).toMatchObject({
      success: true,
      result: 'did write',
    })
    expect(client.asked).toHaveLength(2)
    expect(server.calls).toBe(2)
  })

  it('the gateway does not offer the login to one of several clients, because it would count for all of them', async () => {
    const server = await startProtectedServer()
    const tokens = { ada: 'the-token-of-ada-is-long', bob: 'the-token-of-bob-is-long' }
    const gateway = await gatewayForTest({ door: 'http', config: configFor(server, { http: { tokens } }) })
    const client = await gateway.connect({ token: tokens.ada, reply: loggingIn })
    expect(await execute(client, READ)).toMatchObject({ error: { code: 'AUTH_REQUIRED' } })
    expect(client.asked).toEqual([])
  })

  it('the tokens of a login are only in its own file, and the token of the client is not passed on', async () => {
    const server = await startProtectedServer()
    const home = homeForTest()
    const gateway = await gatewayForTest({ door: 'http', home, config: configFor(server) })
    const client = await gateway.connect({ reply: loggingIn })
    expect(await execute(client, READ)).toMatchObject({ success: true })
    const leak = await execute(client, { server: 'remote', tool: 'leak' })
    expect(leak).toMatchObject({ success: false })
    const secrets = [...new Set(server.tokens), ...server.authorization.tokenRequests.flatMap(secretsIn)]
    expect(secrets.length).toBeGreaterThan(2)
    await expect.poll(() => home.lines('state/toolcrib/audit.jsonl').length, { timeout: 5_000 }).toBe(2)
    const files = home.files().filter((path) => !path.includes('/logins/'))
    const texts = [
      gateway.stdout,
      gateway.stderr,
      JSON.stringify(leak),
      ...files.map((path) => readFileSync(path, 'utf8')),
    ]
    for (const secret of secrets) expect(texts.filter((text) => text.includes(secret))).toEqual([])

    const own = readFileSync(files.find((path) => path.endsWith('/toolcrib/token')) ?? '', 'utf8').trim()
    expect(own.length).toBeGreaterThan(16)
    const received = [...server.sent, ...server.authorization.headers.map((headers) => JSON.stringify(headers))]
    expect(received.filter((text) => text?.includes(own))).toEqual([])
  })
})

function secretsIn(request: URLSearchParams): readonly string[] {
  return ['code', 'code_verifier', 'refresh_token'].flatMap((key) => request.get(key) ?? [])
}
