// Logins of people at a server with `perPrincipal`, with a real authorization server and a browser without a window.

import { describe, expect, it } from 'vitest'
import { onOneLine } from '../../src/core/text.ts'
import { type ProtectedServer, startProtectedServer } from '../../src/sources/upstream/auth/protected-server.fixture.ts'
import { browser, run } from '../e2e/cli/harness.ts'
import { eras, type GatewayClient, type ReceivedQuestion } from '../e2e/gateway/client.ts'
import { gatewayForTest, type RunningGateway } from '../e2e/gateway/harness.ts'
import { visit } from '../fixtures/browser.ts'

const tokens = { alice: 'alice-0123456789abcdef', bob: 'bob-0123456789abcdef', local: 'local-0123456789abcdef' }

const gatewayOf = (server: ProtectedServer) =>
  gatewayForTest({
    door: 'http',
    config: { http: { tokens }, discovery: { servers: { remote: { url: server.url, perPrincipal: true } } } },
  })

/** Answers an offer as a person who opens the address and logs in. */
async function loggingIn({ params }: ReceivedQuestion) {
  void visit(String(params.url))
  return { action: 'accept' }
}

async function read(client: GatewayClient, tool = 'read') {
  return (await client.run({ server: 'remote', tool })).structuredContent
}

/** Runs a command in the home of the gateway. */
function command({ home }: RunningGateway, ...args: readonly string[]) {
  return run({ cwd: home.path, env: { ...home.env, BROWSER: browser } }, [...args, '--config', home.config])
}

describe.each(eras)('people who log in over a client of the %s era', (era) => {
  it('each person gets the offer of a login, and the server gets the token of the person who calls', async () => {
    const server = await startProtectedServer()
    const gateway = await gatewayOf(server)
    const alice = await gateway.connect({ era, token: tokens.alice, reply: loggingIn })
    expect(await read(alice)).toMatchObject({ success: true, result: 'did read' })
    expect(alice.asked).toHaveLength(1)
    const ofAlice = new Set(server.tokens)
    // Bob declines: he does not get the login of Alice.
    const declining = await gateway.connect({ era, token: tokens.bob, reply: () => ({ action: 'decline' }) })
    const answer = await read(declining)
    expect(answer).toMatchObject({ success: false, error: { code: 'AUTH_REQUIRED' } })
    expect(JSON.stringify(answer)).toContain('toolcrib login remote --principal bob')
    expect(server.calls).toBe(1)
    const before = server.tokens.length
    const bob = await gateway.connect({ era, token: tokens.bob, reply: loggingIn })
    expect(await read(bob)).toMatchObject({ success: true })
    const ofBob = new Set(server.tokens.slice(before))
    expect([...ofBob].filter((token) => ofAlice.has(token))).toEqual([])
    // Interleaved calls: each request has the token of its person.
    const clients = [alice, bob, alice, bob, bob, alice]
    const answers = await Promise.all(clients.map((client) => read(client)))
    expect(answers).toEqual(clients.map(() => expect.objectContaining({ success: true })))
    expect(new Set(server.tokens)).toEqual(new Set([...ofAlice, ...ofBob]))
  })
})

describe('a login on the command line', () => {
  it('a login on the command line is for the person of --principal only, and a running gateway uses it', async () => {
    const server = await startProtectedServer()
    const gateway = await gatewayOf(server)
    const [alice, bob] = [await gateway.connect({ token: tokens.alice }), await gateway.connect({ token: tokens.bob })]
    expect(await read(bob)).toMatchObject({ error: { code: 'AUTH_REQUIRED' } })
    const login = await command(gateway, 'login', 'remote', '--principal', 'bob')
    expect(login).toMatchObject({
      code: 0,
      stdout: "Logged in to 'remote' for 'bob' with the scope read. It has 4 tools.\n",
    })
    expect(await read(bob)).toMatchObject({ success: true })
    expect(await read(alice)).toMatchObject({ error: { code: 'AUTH_REQUIRED' } })
    // Each person sees the state of their own server.
    expect(JSON.stringify(await alice.ask('list_mcp_servers'))).toContain('--principal alice')
    expect(JSON.stringify(await bob.ask('list_mcp_servers'))).not.toContain('login')
    expect(await command(gateway, 'execute', 'remote', 'read', '--args', '{}')).toMatchObject({ code: 2 })
    const logout = await command(gateway, 'logout', 'remote', '--principal', 'alice')
    expect(logout).toMatchObject({ code: 0, stdout: "There is no login to 'remote' for 'alice'.\n" })
    expect(await read(bob)).toMatchObject({ success: true })
    expect(await command(gateway, 'logout', 'remote', '--principal', 'bob')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Logged out of 'remote' for 'bob'."),
    })
  })

  it("the login of the local user is not used for a person with the name 'local'", async () => {
    const server = await startProtectedServer()
    const gateway = await gatewayOf(server)
    expect(await command(gateway, 'login', 'remote')).toMatchObject({ code: 0 })
    expect(await command(gateway, 'execute', 'remote', 'read', '--args', '{}')).toMatchObject({ code: 0 })
    const person = await gateway.connect({ token: tokens.local })
    expect(await read(person)).toMatchObject({ error: { code: 'AUTH_REQUIRED' } })
  })

  it('a login of a person counts the tools on all pages of the list', async () => {
    const gateway = await gatewayOf(await startProtectedServer({ pageSize: 3 }))
    const login = await command(gateway, 'login', 'remote', '--principal', 'bob')
    expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining('It has 4 tools.') })
  })

  it('a login of a person gives the reason if the server does not list its tools', async () => {
    let isBroken = false
    const server = await startProtectedServer({
      era: 'modern',
      interceptServer(request, response) {
        if (!isBroken || request.headers['mcp-method'] !== 'tools/list') return false
        response.writeHead(500).end()
        return true
      },
    })
    const gateway = await gatewayOf(server)
    expect(await command(gateway, 'login', 'remote', '--principal', 'alice')).toMatchObject({ code: 0 })
    isBroken = true
    const login = await command(gateway, 'login', 'remote', '--principal', 'bob')
    expect(login.code).toBe(3)
    expect(onOneLine(login.stdout)).toContain(
      'The server does not work yet: it did not list its tools: the server answered with HTTP 500',
    )
  })

  it('a login with --principal is refused for a shared server, and for a program', async () => {
    const server = await startProtectedServer()
    const program = { command: process.execPath }
    const config = { http: { tokens }, discovery: { servers: { remote: { url: server.url }, program } } }
    const gateway = await gatewayForTest({ door: 'http', config })
    const { code, stderr } = await command(gateway, 'login', 'remote', '--principal', 'bob')
    expect(code).toBe(1)
    expect(stderr).toContain("'remote' is shared by all principals")
    const refused = await command(gateway, 'login', 'program', '--principal', 'bob')
    expect(refused.code).toBe(1)
    expect(onOneLine(refused.stderr)).toContain("'program' is a program that runs on this machine, so it has no login")
  })
})

describe('toolcrib doctor', () => {
  it('doctor names the servers that are shared, and does not report the missing login of the local user as a fault', async () => {
    const server = await startProtectedServer()
    const gateway = await gatewayForTest({
      door: 'http',
      config: {
        http: { tokens },
        people: { alice: { TOKEN: 'the-token-of-alice' } },
        discovery: {
          servers: {
            remote: { url: server.url, perPrincipal: true },
            valued: { command: process.execPath, env: { TOKEN: `$\{person.TOKEN}` }, perPrincipal: true },
            open: { url: (await startProtectedServer()).url },
          },
        },
      },
    })
    const { stdout, code } = await command(gateway, 'doctor')
    expect(code).toBe(3)
    const text = stdout.replaceAll(/\s+/g, ' ')
    expect(text).toContain(
      'remote (http) one process or connection for each person Note: not started: it needs a login of each person, and you',
    )
    expect(text).toContain(
      'valued (stdio) one process or connection for each person Note: not started: it needs a value for',
    )
    expect(text).toMatch(/✗ open \(http\) one process or connection for all people/)
  })
})
