// The name and instructions that a server sends at the start, and the strategy that the environment chooses.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { loadTokenCounter } from '../core/tokens.ts'
import { type StrategyName, strategies } from '../disclosure/strategies/builtins.ts'
import { commandOf, namesOf } from '../sources/commands/command.fixture.ts'
import { createFileStore } from '../storage/file.ts'
import { createMcpServer, type McpServerOptions } from './create-mcp-server.ts'
import { connectHttp, eras } from './sdk-client.fixture.ts'

const commands = [commandOf('order-list'), commandOf('order-create'), commandOf('mail-send')]
/** The strategies that need instructions. The keys are the names of all strategies. */
const INSTRUCTED = ([...strategies.keys()] as StrategyName[]).filter(
  (name) => name !== 'individual' && name !== 'grouped',
)

async function start(options: Partial<McpServerOptions> = {}) {
  const server = createMcpServer({ name: 'shop', version: '2.0.0', commands, transport: 'http', port: 0, ...options })
  await server.start()
  onTestFinished(() => server.stop())
  return { server, port: Number(new URL(server.getUrl()).port) }
}

describe.each(eras)('a server for a %s client', (era) => {
  it.each(INSTRUCTED)('explains in at most 150 tokens how to find tools under %s', async (toolStrategy) => {
    // `auto` would list all of these tools; with a budget of 0 it hides them.
    const { port } = await start(
      toolStrategy === 'auto' ? { toolStrategy, strategyOptions: { budget: 0 } } : { toolStrategy },
    )
    const { client } = await connectHttp(port, era)
    const instructions = client.getInstructions() ?? ''
    expect(instructions).toMatch(/call|runs/i)
    const count = await loadTokenCounter()
    expect(count(instructions)).toBeLessThanOrEqual(150)
    const { tools } = await client.listTools()
    expect(tools.some(({ name }) => instructions.includes(name))).toBe(true)
  })

  it('sends no instructions when all tools are listed and the author gave none', async () => {
    const { port } = await start({ toolStrategy: 'individual' })
    expect((await connectHttp(port, era)).client.getInstructions()).toBeUndefined()
  })

  it('sends the instructions of the author first, and the title and description', async () => {
    const about = { title: 'The Shop', description: 'Orders and mail.', instructions: 'Prices are in cents.' }
    const { port } = await start({ toolStrategy: 'lazy', ...about })
    const { client } = await connectHttp(port, era)
    expect(client.getInstructions()).toMatch(/^Prices are in cents\.\n\n1\. afd-discover/)
    expect(client.getServerVersion()).toMatchObject({
      name: 'shop',
      title: 'The Shop',
      description: 'Orders and mail.',
    })
  })
})

describe('the environment of a server', () => {
  const listed = async (options: Partial<McpServerOptions> = {}) => {
    const { port } = await start(options)
    const { client } = await connectHttp(port, 'modern')
    return namesOf((await client.listTools()).tools)
  }

  it.each([
    [{ LAZY_MODE: 'true' }, ['manage_tools']],
    [{ TOOL_LOADING: 'lazy' }, ['list_tool_categories', 'get_category_tools', 'get_tool_schema']],
    [{ TOOL_LOADING: 'eager', LAZY_MODE: 'true' }, ['order-list', 'order-create', 'mail-send']],
    [{ LAZY_MODE: 'false' }, ['order-list', 'order-create', 'mail-send']],
  ])('uses the strategy from %j when the author chose none, and logs the variable', async (env, first) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => {
      vi.unstubAllEnvs()
      written.mockRestore()
    })
    const [[variable, value] = []] = Object.entries(env)
    const said = () => written.mock.calls.filter(([text]) => String(text).includes(`the environment has ${variable}=`))
    expect((await listed()).slice(0, first.length)).toEqual(first)
    expect(said()).toEqual([[expect.stringMatching(new RegExp(`strategy '\\w+', because .* ${variable}=${value}\n$`))]])
    expect(await listed({ toolStrategy: 'lazy' })).toContain('afd-discover')
    expect(said()).toHaveLength(1)
  })

  it('refuses an invalid value in the environment', () => {
    vi.stubEnv('TOOL_LOADING', 'never')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(() => createMcpServer({ name: 'shop', version: '1', commands })).toThrow(/TOOL_LOADING.*eager or lazy/)
  })
})

describe('a server with a store', () => {
  it('lists the most used tools in full at the next start', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'toolcrib-store-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const options = {
      toolStrategy: 'categories',
      strategyOptions: { listing: 'hybrid', core: 'learned' },
      commands: [...commands, commandOf('mail-read')],
    } as const
    const core = async (port: number) => {
      const { client } = await connectHttp(port, 'modern')
      return namesOf((await client.listTools()).tools).slice(3)
    }
    const first = await start({ ...options, store: createFileStore({ dir }) })
    for (const name of ['mail-send', 'mail-send', 'order-list', 'order-list']) await first.server.execute(name, {})
    await first.server.execute('order-create', { no: 'such field' })
    // The list does not change while the server runs.
    expect(await core(first.port)).toEqual([])
    await first.server.stop()
    const second = await start({ ...options, store: createFileStore({ dir }) })
    expect(await core(second.port)).toEqual(expect.arrayContaining(['order-list', 'mail-send']))
    expect(await core(second.port)).not.toContain('mail-read')
  })
})
