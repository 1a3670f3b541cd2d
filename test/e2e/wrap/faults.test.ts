// A wrapped server that dies, hangs, prints invalid lines or changes: clients get answers, and no process is left.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { fixturePath } from '../../../src/sources/upstream/upstream.fixture.ts'
import { removeFolder } from '../../../src/storage/remove-folder.fixture.ts'
import { ended, main, printed, run, start, stopped } from '../cli/harness.ts'
import { connectClient, eras, type GatewayClient, type ProtocolEra } from '../gateway/client.ts'
import { endChild, expectGone, startedBy } from '../gateway/processes.ts'
import { covers } from './requirements.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-wrap-faults-'))
const env = { PATH: process.env.PATH ?? '', HOME: folder }
const home = { cwd: folder, env }
afterAll(() => removeFolder(folder))

const wordsFor = (server: string, ...flags: readonly string[]) => [
  'wrap',
  '--strategy',
  'individual',
  ...flags,
  '--',
  process.execPath,
  fixturePath(server),
]

async function wrapped(server: string, era: ProtocolEra): Promise<GatewayClient & { readonly pid: number }> {
  const args = [main, ...wordsFor(server)]
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' })
  const client = await connectClient(transport, { era })
  onTestFinished(() => client.close())
  return { ...client, pid: transport.pid ?? 0 }
}

async function textOf({ client }: GatewayClient, name: string): Promise<string> {
  const { content } = await client.callTool({ name, arguments: {} })
  const [block] = content
  return block?.type === 'text' ? block.text : ''
}

describe.each(eras)('a wrapped server and a %s client', (era) => {
  it('a call during which the server dies fails with its exit code, and the next call starts the server again', async () => {
    covers('WR-10')
    const wrap = await wrapped('misbehaves', era)
    const before = await textOf(wrap, 'pid')
    const { isError, structuredContent } = await wrap.client.callTool({ name: 'dies', arguments: {} })
    expect(isError).toBe(true)
    expect(structuredContent).toMatchObject({
      error: { code: 'SERVER_LOST', message: expect.stringContaining('it exited with code 7') },
    })
    expect(JSON.stringify(structuredContent)).toContain('fatal: out of memory')
    expect(await textOf(wrap, 'pid')).not.toBe(before)
  })

  it('calls work with a server that answers twice, prints invalid lines, or sends an incomplete character', async () => {
    covers('WR-10')
    const wrap = await wrapped('misbehaves', era)
    expect(await textOf(wrap, 'twice')).toBe('first')
    expect(await textOf(wrap, 'babbles')).toBe('still here')
    expect(await textOf(wrap, 'half')).toMatch(/^caf\uFFFD/)
    expect(await textOf(wrap, 'pid')).toMatch(/^\d+$/)
  })

  it('three list_changed notifications at once reach the client as one, with the new tools', async () => {
    covers('WR-6', 'WR-10')
    const wrap = await wrapped('misbehaves', era)
    const before = await wrap.list()
    await textOf(wrap, 'changes')
    await vi.waitFor(() => expect(wrap.notifications).toContain('tools changed'), 20_000)
    const after = await wrap.list()
    expect(after.map(({ name }) => name)).toEqual([...before.map(({ name }) => name), 'tool-8'])
    // The list is requested again after at least 100 ms. By then all notifications of the first change have come.
    await textOf(wrap, 'changes')
    await vi.waitFor(async () => expect(await wrap.list()).toHaveLength(before.length + 2), 20_000)
    expect(wrap.notifications.filter((text) => text === 'tools changed')).toHaveLength(2)
  })
})

describe('the started processes', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('all started processes end with %s, over HTTP', async (signal) => {
    covers('WR-11')
    const child = start(home, wordsFor('fork', '--http', '--port', '0', '--quiet'))
    await printed(child, '/mcp')
    const processes = startedBy(child.pid ?? 0)
    // The server, its child process, and the watchdog.
    expect(processes.length).toBeGreaterThanOrEqual(2)
    await stopped(child, signal)
    await expectGone(processes)
  })

  it('all started processes end when the client disconnects, over stdio', async () => {
    covers('WR-11')
    const wrap = await wrapped('fork', 'legacy')
    const processes = startedBy(wrap.pid)
    expect(processes.length).toBeGreaterThanOrEqual(2)
    await wrap.close()
    await expectGone([wrap.pid, ...processes])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'the wrapper ends with %s while it starts a server that never answers',
    async (signal) => {
      covers('WR-11')
      const child = start(home, wordsFor('hang'))
      const closed = ended(child)
      await vi.waitFor(() => expect(startedBy(child.pid ?? 0).length).toBeGreaterThanOrEqual(1), 20_000)
      const processes = startedBy(child.pid ?? 0)
      child.kill(signal)
      await closed
      await expectGone(processes)
    },
  )

  it('the wrapper exits with 3 and prints the reason if its server exits at once', async () => {
    covers('WR-9', 'WR-11')
    const { code, stderr } = await run(home, wordsFor('crash-on-start'))
    expect(code).toBe(3)
    expect(stderr).toMatch(/exited with code 3.*it printed: fatal/s)
  })

  it('toolcrib logs prints why the wrapper could not start', async () => {
    covers('WR-9')
    await run(home, wordsFor('crash-on-start'))
    const { stdout } = await run(home, ['logs', 'gateway'])
    expect(stdout).toMatch(/gateway: could not serve: .*exited with code 3/)
  })

  it('a wrong flag of the wrapper is not in the log, because its value can be a secret', async () => {
    const { code } = await run(home, ['wrap', '--url', 'mcp.example/?key=sesame'])
    expect(code).toBe(1)
    expect((await run(home, ['logs', 'gateway'])).stdout).not.toContain('sesame')
  })
})

describe('two clients at an address', () => {
  it.each(eras)(
    'two clients over HTTP each get the questions of their own calls, at the same time (%s)',
    async (era) => {
      covers('WR-5')
      const child = start(home, wordsFor('asks', '--http', '--port', '0', '--no-auth', '--quiet'))
      const [url = ''] = (await printed(child, '/mcp')).trim().split('\n')
      onTestFinished(async () => void (await stopped(child, 'SIGTERM')))
      const people = ['Ada', 'Grace']
      const clients = await Promise.all(people.map((name) => connectPerson(url, era, name)))
      const interview = async (client: Client, person: string) => {
        const { content } = await client.callTool({ name: 'interview', arguments: {} })
        const [block] = content
        expect(block?.type === 'text' ? JSON.parse(block.text) : block).toMatchObject({
          name: { action: 'accept', content: { name: person } },
          town: { action: 'accept', content: { town: `${person}'s` } },
        })
      }
      // After its first question the tool is known to ask. Before that, one of two parallel calls would be declined.
      const [first] = clients
      if (first !== undefined) await interview(first, 'Ada')
      const rounds = Array.from({ length: 5 }, () =>
        clients.map((client, index) => interview(client, people[index] ?? '')),
      )
      await Promise.all(rounds.flat())
    },
  )
})

async function connectPerson(url: string, era: ProtocolEra, name: string): Promise<Client> {
  const client = new Client(
    { name: 'e2e', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const content = String(params.message).endsWith('Your name?') ? { name } : { town: `${name}'s` }
    return { action: 'accept', content }
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  onTestFinished(() => client.close())
  return client
}

describe('a program with wrapServer', () => {
  it('a program with wrapServer ends when its client closes stdin', async () => {
    const library = new URL('../../../dist/lib/index.js', import.meta.url).href
    const connection = { type: 'stdio', command: process.execPath, args: [fixturePath('shelf')] }
    const code = `const { wrapServer } = await import(${JSON.stringify(library)})
      await wrapServer(${JSON.stringify(connection)}, { transport: 'stdio' }).start()`
    const program = spawn(process.execPath, ['--input-type=module', '--eval', code], { env, stdio: 'pipe' })
    onTestFinished(() => endChild(program, 'SIGKILL'))
    program.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`)
    const answers = program.stdout.setEncoding('utf8').toArray()
    expect(await once(program, 'exit')).toEqual([0, null])
    expect((await answers).join('')).toContain('"id":1')
  })
})
