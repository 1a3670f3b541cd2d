// One gateway for all clients: `serve --shared` connects each client to the same process.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Registration, readRegistrations } from '../../../src/cli/gateway/registration.ts'
import { isAlive } from '../../../src/sources/upstream/upstream.fixture.ts'
import { processesWith } from '../cli/harness.ts'
import { type ClientSettings, connectClient, eras } from './client.ts'
import { mainPath } from './harness.ts'
import { createHome, type GatewayHome } from './home.ts'
import { expectGone, startedBy } from './processes.ts'
import { everything, fixtureServer, type ServerEntry } from './servers.ts'

const IDLE_MS = 500
const AUDIT = 'state/toolcrib/audit.jsonl'
const SERVERS = { everything: everything(), asks: fixtureServer('asks') }

interface JoinSettings extends ClientSettings {
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

/** A home for clients that share a gateway. `close` fails if a process is left. */
function sharedHome(servers: Readonly<Record<string, ServerEntry>> = SERVERS, more: object = {}) {
  const home = createHome()
  home.write('gateway.json', { discovery: { servers }, limits: { sharedIdleMs: IDLE_MS }, ...more })
  const seen = new Set<number>()
  const gateways = async (): Promise<readonly Registration[]> => {
    const all = (await readRegistrations(home.state)).filter(({ pid }) => isAlive(pid))
    for (const { pid } of all) for (const one of [pid, ...startedBy(pid)]) seen.add(one)
    return all
  }
  const join = async (client: string, { env = {}, args = ['--shared'], ...settings }: JoinSettings = {}) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [mainPath(), 'serve', '--client', client, '--config', home.config, ...args],
      env: { ...home.env, ...env },
      cwd: home.path,
      stderr: 'pipe',
    })
    const output = { stderr: '' }
    transport.stderr?.on('data', (chunk) => {
      output.stderr += String(chunk)
    })
    const connected = await connectClient(transport, settings)
    seen.add(transport.pid ?? 0)
    return { ...connected, output, pid: transport.pid ?? 0 }
  }
  const close = async () => {
    await gateways()
    await expectGone([...seen])
    // `gateways` lists no gateway that is starting or ending. Each has the path of its config as an argument.
    await vi.waitUntil(() => processesWith(home.path).length === 0, { timeout: 20_000, interval: 50 })
    await home.remove()
  }
  return { home, join, gateways, close }
}

function sharedForTest(servers?: Readonly<Record<string, ServerEntry>>, more?: object) {
  const shared = sharedHome(servers, more)
  onTestFinished(shared.close)
  return shared
}

type Joined = Awaited<ReturnType<ReturnType<typeof sharedHome>['join']>>
const echo = (client: Joined, message: string) =>
  client.run({ server: 'everything', tool: 'echo', arguments: { message } })
const SLOW = { server: 'everything', tool: 'trigger-long-running-operation', arguments: { duration: 30, steps: 1 } }

describe('three clients that start at once', () => {
  const shared = sharedHome()
  afterAll(shared.close)

  it('three clients share one gateway and one copy of each server, in both eras, and the gateway ends after the last has left', async () => {
    const clients = await Promise.all([
      shared.join('cursor', { era: 'legacy' }),
      shared.join('claude-code', { era: 'modern' }),
      shared.join('vscode', { era: 'legacy', reply: () => ({ action: 'accept', content: { name: 'Ada' } }) }),
    ])
    const [first, second, third] = clients as [Joined, Joined, Joined]
    for (const client of clients) {
      expect(await echo(client, 'hello')).toMatchObject({ content: [{ text: 'Echo: hello' }] })
    }
    const [gateway, ...others] = await shared.gateways()
    expect(others).toEqual([])
    const lines = startedBy(gateway?.pid ?? 0).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    expect(lines.filter((line) => line.includes('server-everything'))).toHaveLength(1)

    // Each client is its own principal.
    await expect
      .poll(() => new Set(shared.home.lines(AUDIT).map((line) => JSON.parse(line).caller.principal)))
      .toEqual(new Set(['cursor', 'claude-code', 'vscode']))

    // The gateway goes on when a client leaves, even if another client has a call in flight.
    const slow = second.run(SLOW).catch(() => undefined)
    await first.close()
    expect(await echo(third, 'still here')).toMatchObject({ content: [{ text: 'Echo: still here' }] })
    await second.close()
    await slow
    await third.close()
    await vi.waitUntil(async () => (await shared.gateways()).length === 0, { timeout: 10_000, interval: 50 })
  })
})

it.each(eras)(
  'a gateway that is killed is started again, and calls in flight get an error, in the %s era',
  async (era) => {
    const shared = sharedForTest()
    const client = await shared.join('cursor', { era })
    const other = await shared.join('vscode', { era })
    await echo(client, 'warm')
    const running = client.run(SLOW).then(
      () => 'answered',
      (error: Error) => error.message,
    )
    await vi.waitUntil(() => shared.home.lines(AUDIT).length > 0)
    const [gateway] = await shared.gateways()
    process.kill(gateway?.pid ?? 0, 'SIGKILL')
    expect(await running).toContain("The gateway ended before it answered 'tools/call'")
    expect(await echo(client, 'again')).toMatchObject({ content: [{ text: 'Echo: again' }] })
    expect(await echo(other, 'again')).toMatchObject({ content: [{ text: 'Echo: again' }] })
    const pids = async () => (await shared.gateways()).map(({ pid }) => pid)
    await expect.poll(async () => (await pids()).length).toBe(1)
    expect(await pids()).not.toContain(gateway?.pid)
    await Promise.all([client.close(), other.close()])
  },
)

it('a gateway that is stopped answers the calls in flight, and then the gateway and the relay of its client end', async () => {
  const shared = sharedForTest()
  const client = await shared.join('cursor')
  await echo(client, 'warm')
  const short = { ...SLOW, arguments: { duration: 1, steps: 1 } }
  const running = client.run(short)
  await vi.waitUntil(async () => JSON.stringify(await client.ask('list_mcp_servers')).includes('connected'))
  const [gateway] = await shared.gateways()
  process.kill(gateway?.pid ?? 0, 'SIGTERM')
  expect(JSON.stringify(await running)).toContain('Long running operation completed')
  await expectGone([client.pid, gateway?.pid ?? 0])
  expect(client.output.stderr).not.toContain('starting it again')
})

it('a question of a server reaches the client that called, and no other', async () => {
  const shared = sharedForTest()
  const reply = (name: string) => () => ({ action: 'accept', content: { name, town: name } })
  const [ada, bob] = await Promise.all([
    shared.join('ada', { reply: reply('Ada') }),
    shared.join('bob', { reply: reply('Bob') }),
  ])
  const both = { server: 'asks', tool: 'both', arguments: {} }
  expect(JSON.stringify(await ada.run(both))).toContain('Ada')
  expect(JSON.stringify(await bob.run(both))).toContain('Bob')
  expect([ada.asked.length, bob.asked.length]).toEqual([2, 2])
  await Promise.all([ada.close(), bob.close()])
})

it('a client with another value of a needed variable, or of another version, is served alone, with a note on stderr', async () => {
  const needs = fixtureServer('notes')
  const servers = { notes: { ...needs, connection: { ...needs.connection, env: { DB_HOST: `\${DB_HOST}` } } } }
  const shared = sharedForTest(servers)
  const first = await shared.join('cursor', { env: { DB_HOST: 'one' } })
  const other = await shared.join('vscode', { env: { DB_HOST: 'two' } })
  expect(first.output.stderr).toBe('')
  expect(other.output.stderr).toContain("serving this client alone: 'DB_HOST' has another value in the shared gateway")
  expect(await other.ask('list_tools', { server: 'notes' })).toHaveProperty('tools')

  const [gateway] = (await shared.gateways()).filter((one) => one.shared !== undefined)
  const file = `state/toolcrib/gateways/${gateway?.pid}.json`
  shared.home.write(file, { ...gateway, version: '0.0.1' })
  const late = await shared.join('zed')
  expect(late.output.stderr).toContain(`(process ${gateway?.pid}) is version 0.0.1`)
  shared.home.write(file, gateway)
  await Promise.all([first, other, late].map((client) => client.close()))
})

it('`"shared": true` in the configuration shares without a flag, and --no-shared serves alone', async () => {
  const shared = sharedForTest(SERVERS, { shared: true })
  const [one, two] = await Promise.all([shared.join('a', { args: [] }), shared.join('b', { args: [] })])
  const alone = await shared.join('c', { args: ['--no-shared'] })
  for (const client of [one, two, alone]) await echo(client, 'hi')
  // A gateway registers itself a moment after it has answered.
  await expect.poll(async () => (await shared.gateways()).length).toBe(2)
  const all = await shared.gateways()
  expect(all.map(({ shared: key }) => key !== undefined).toSorted()).toEqual([false, true])
  expect(all.find(({ shared: key }) => key === undefined)?.pid).toBe(alone.pid)
  await Promise.all([one, two, alone].map((client) => client.close()))
})

it('serve --shared answers the requests that were sent before its input ended', async () => {
  const shared = sharedForTest()
  const lines = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    { method: 'notifications/initialized' },
    {
      id: 2,
      method: 'tools/call',
      params: {
        name: 'execute_tool',
        arguments: { server: 'everything', tool: 'echo', arguments: { message: 'last' } },
      },
    },
  ]
  const { code, stdout } = await pipe(shared.home, lines)
  expect(code).toBe(0)
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers.filter(({ id }) => id !== undefined).map(({ id }) => id)).toEqual([1, 2])
  expect(stdout).toContain('Echo: last')
  await shared.gateways()
})

/** Sends the messages through `serve --shared` and closes its input. */
async function pipe(home: GatewayHome, messages: readonly object[]) {
  const args = [mainPath(), 'serve', '--shared', '--config', home.config]
  const child = spawn(process.execPath, args, { env: home.env, cwd: home.path, stdio: ['pipe', 'pipe', 'ignore'] })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk
  })
  child.stdin.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
  const [code] = await once(child, 'close')
  return { code, stdout }
}
