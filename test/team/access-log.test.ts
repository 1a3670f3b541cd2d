// The access log and the audit log on stderr, and the tokens that must not be in them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ask, initialize, modern, startSession, toolCall } from '../../src/front/raw-client.fixture.ts'
import { gatewayForTest, mainPath, type RunningGateway, useGateway } from '../e2e/gateway/harness.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { expectGone, startedBy } from '../e2e/gateway/processes.ts'
import { fixtureServer, missing } from '../e2e/gateway/servers.ts'

const ALICE = 'alice-0123456789abcdef'
const BOB = 'bob-0123456789abcdefgh'
const tokens = { alice: ALICE, bob: BOB }
const notes = { servers: { notes: fixtureServer('notes') }, listWaitMs: 30_000 }
const quiet = { servers: { known: { ...missing, tools: [{ name: 'x' }] } } }
type Line = Readonly<Record<string, unknown>>

/** The lines of JSON on stderr. */
function linesOf({ stderr }: Pick<RunningGateway, 'stderr'>): readonly Line[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line) // each line is an object; the tests check its fields
}

describe('the access log', () => {
  const http = { tokens, trustProxy: ['127.0.0.1'] }
  const gateway = useGateway({ door: 'http', config: { http, log: { access: true, audit: true }, discovery: notes } })
  const port = () => Number(new URL(gateway().url).port)
  const requests = () => linesOf(gateway()).filter(({ event }) => event === 'request')
  /** The line of a request that has this address in X-Forwarded-For. */
  const lineOf = (client: string) => expect.poll(() => requests().find((line) => line.client === client))

  it('the access log has the caller, the method, the tool, the status and the time of a call of each era', async () => {
    const call = toolCall('execute_tool', { server: 'notes', tool: 'list', arguments: {} })
    const headers = { authorization: `Bearer ${ALICE}`, 'x-forwarded-for': '192.0.2.1' }
    expect((await ask(port(), modern(call, headers))).status).toBe(200)
    const seen = {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      event: 'request',
      verb: 'POST',
      path: '/mcp',
      status: 200,
      durationMs: expect.any(Number),
      method: 'tools/call',
      tool: 'execute_tool',
    }
    await lineOf('192.0.2.1').toEqual({ ...seen, client: '192.0.2.1', principal: 'alice' })
    const bob = { authorization: `Bearer ${BOB}`, 'x-forwarded-for': '192.0.2.2' }
    const session = await startSession(port(), bob)
    await session.ask(call, { 'x-forwarded-for': '192.0.2.3' })
    await lineOf('192.0.2.2').toMatchObject({ principal: 'bob', method: 'initialize', status: 200 })
    await lineOf('192.0.2.3').toEqual({ ...seen, client: '192.0.2.3', principal: 'bob' })
  })

  it('the access log has a line for an event stream when it ends', async () => {
    const session = await startSession(port(), { authorization: `Bearer ${ALICE}` })
    const stream = await session.stream({ 'x-forwarded-for': '192.0.2.4' })
    stream.hangUp()
    await lineOf('192.0.2.4').toMatchObject({ verb: 'GET', principal: 'alice' })
  })

  it.each([
    ['no-token', undefined, '192.0.2.10'],
    ['unknown-token', 'Bearer my-wrong-secret-0123', '192.0.2.11'],
    ['no-token', 'Basic my-wrong-secret-0123', '192.0.2.12'],
  ])('the access log has a line for a refused login with its reason: %s', async (refused, authorization, client) => {
    await ask(port(), { body: initialize(), headers: { authorization, 'x-forwarded-for': client } })
    await lineOf(client).toMatchObject({ status: 401, refused })
    await lineOf(client).not.toHaveProperty('principal')
  })

  it('the access log has the refused host and origin', async () => {
    const headers = { host: 'evil.example', origin: 'http://page.example', 'x-forwarded-for': '192.0.2.20' }
    await ask(port(), { body: initialize(), headers })
    await lineOf('192.0.2.20').toMatchObject({ status: 403, host: 'evil.example', origin: 'http://page.example' })
  })

  it('the access log escapes characters that control a terminal or change the direction of a text', async () => {
    const evil = '\u001b]0;x\u0007\u009b2J\u202e\u2028'
    const headers = { authorization: `Bearer ${ALICE}`, 'x-forwarded-for': '192.0.2.21' }
    const call = toolCall(`search_tools${evil}`, { query: evil })
    await ask(port(), modern(call, { ...headers, 'mcp-name': undefined }))
    await ask(port(), { body: { jsonrpc: '2.0', id: 1, method: `tools/list${evil}` }, headers })
    await ask(port(), { body: initialize(), headers: { ...headers, host: 'a\u009b2J.example' } })
    await expect.poll(() => requests().filter(({ client }) => client === '192.0.2.21')).toHaveLength(3)
    expect(gateway().stderr).not.toMatch(/[^\P{Cc}\n\t]|[\p{Cf}\u2028\u2029]/u)
    expect(gateway().stderr).toContain('\\u009b2J')
  })

  it('the access log has one line per request, even if a client sends line ends and terminal sequences to forge another', async () => {
    const forged = '{"event":"request","client":"192.0.2.99","principal":"bob"}'
    const headers = { authorization: `Bearer ${ALICE}`, 'x-forwarded-for': '192.0.2.22' }
    for (const evil of [`\u2028${forged}\u2028`, `\n${forged}\n`, `\u0085${forged}`, '\u009b', '\u009d', '\u009c']) {
      await ask(port(), { body: { jsonrpc: '2.0', id: 1, method: evil, params: { name: evil } }, headers })
    }
    const own = () => requests().filter(({ client }) => client === '192.0.2.22')
    await expect.poll(own).toHaveLength(6)
    expect(own().map(({ principal }) => principal)).toEqual(Array(6).fill('alice'))
    expect(requests().filter(({ client }) => client === '192.0.2.99')).toEqual([])
  })

  it('the access log has no probes and no query of a path, and long texts are cut', async () => {
    for (const path of ['/health', '/ready']) await ask(port(), { method: 'GET', path, headers: {} })
    const call = toolCall('x'.repeat(50_000))
    const headers = { authorization: `Bearer ${ALICE}`, 'x-forwarded-for': '192.0.2.30' }
    await ask(port(), { ...modern(call, { ...headers, 'mcp-name': undefined }), path: '/mcp?token=in-a-query' })
    await lineOf('192.0.2.30').toMatchObject({ path: '/mcp', tool: expect.stringMatching(/^x{50,300}\D{0,3}$/) })
    expect(requests().filter(({ path }) => path !== '/mcp')).toEqual([])
  })

  it('the audit log beside the access log has the tool of the server', async () => {
    const call = toolCall('execute_tool', { server: 'notes', tool: 'list', arguments: {} })
    await ask(port(), modern(call, { authorization: `Bearer ${ALICE}` }))
    const audited = () => linesOf(gateway()).filter(({ event }) => event === 'call')
    await expect.poll(audited).toContainEqual(
      expect.objectContaining({
        server: 'notes',
        tool: 'list',
        outcome: 'ok',
        caller: expect.objectContaining({ principal: 'alice' }),
      }),
    )
  })

  it('the access log never has a token, valid or not', () => {
    // The requests of the tests above had these tokens.
    expect(requests().map(({ principal }) => principal)).toEqual(expect.arrayContaining(['alice', 'bob']))
    expect(requests().map(({ refused }) => refused)).toContain('unknown-token')
    for (const secret of [ALICE, BOB, 'my-wrong-secret', 'in-a-query']) expect(gateway().stderr).not.toContain(secret)
  })
})

it('the access log and the audit log on stderr are off unless they are set', async () => {
  const gateway = await gatewayForTest({ door: 'http', config: { http: { tokens }, discovery: notes } })
  const client = await gateway.connect({ token: ALICE, era: 'modern' })
  expect(await client.run({ server: 'notes', tool: 'list' })).toMatchObject({ structuredContent: { success: true } })
  await gateway.close()
  expect(linesOf(gateway)).toEqual([])
})

describe('a generated token', () => {
  it.each([[[]], [['--json']]])(
    'a generated token is not printed if the output is not a terminal: %j',
    async (flags) => {
      const home = homeForTest()
      const config = home.write('gateway.json', { discovery: quiet })
      const args = ['serve', '--http', '--port', '0', '--config', config, ...flags]
      const printed = await outputOf(process.execPath, [mainPath(), ...args], home.env)
      const file = home.at('state', 'toolcrib', 'token')
      const token = readFileSync(file, 'utf8').trim()
      expect(token.length).toBeGreaterThan(20)
      expect(printed).not.toContain(token)
      expect(printed).toContain(
        flags.length === 0 ? 'The token is in ~/state/toolcrib/token' : `"tokenFile": "${file}"`,
      )
    },
  )

  it('a generated token is printed on a terminal', async () => {
    const home = homeForTest()
    const config = home.write('gateway.json', { discovery: quiet })
    const command = [process.execPath, mainPath(), 'serve', '--http', '--port', '0', '--config', config].join(' ')
    const printed = await outputOf('script', ['-qec', command, '/dev/null'], { ...home.env, COLUMNS: '1000' })
    const token = readFileSync(home.at('state', 'toolcrib', 'token'), 'utf8').trim()
    expect(printed).toContain(`Bearer ${token}`)
  })
})

/** Everything that a gateway prints on stdout and stderr until its address and the command to stop it are there. */
async function outputOf(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
  await expect.poll(() => printed, { timeout: 30_000 }).toMatch(/Ctrl-C|"pid"[^}]*\}/)
  // A terminal can end before the gateway in it.
  const started = startedBy(child.pid ?? 0)
  child.kill('SIGTERM')
  await exited
  await expectGone(started)
  return printed
}
