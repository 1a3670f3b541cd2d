// toolcrib serve with a strategy: its options as flags and in the config, and the explanation of its choice.

import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BRACKET_TOKENS } from '../../../src/disclosure/strategies/listing/tool-cost.ts'
import {
  type CliHome,
  createHome,
  definedVariables,
  main,
  printed,
  realConfig,
  run,
  start,
  stopped,
} from './harness.ts'

let home: CliHome
beforeAll(async () => {
  home = createHome()
  realConfig(home)
  // Starts each server once, so that its tools are known.
  await run(home, ['doctor'])
})
afterAll(() => home.remove())

async function serving<T>(
  flags: readonly string[],
  use: (client: Client, stderr: () => string) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const env = definedVariables(home.env)
  const args = [main, 'serve', ...flags]
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd: home.cwd, env, stderr: 'pipe' })
  let log = ''
  transport.stderr?.on('data', (chunk) => {
    log += String(chunk)
  })
  await client.connect(transport)
  try {
    return await use(client, () => log)
  } finally {
    await client.close()
  }
}

const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

describe('serve --explain', () => {
  it('serve --explain prints the strategy, its reason and the cost of each strategy, and serves nothing', async () => {
    const { code, stdout } = await run(home, ['serve', '--explain', '--strategy', 'auto'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^Strategy: auto, which lists as individual \(given with --strategy; \d+ tools cost [\d,]+ tokens/,
    )
    for (const name of [
      'individual',
      'grouped',
      'lazy',
      'gateway',
      'manage',
      'categories hidden invoke',
      'capabilities hidden invoke',
    ])
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +[\\d,]+$`, 'm'))
  })

  it('serve --explain prints the listing that a strategy has chosen', async () => {
    const { stdout } = await run(home, ['serve', '--explain', '--strategy', 'categories'])
    expect(stdout).toMatch(
      /^Strategy: categories, which lists as stripped \(given with --strategy; the list with \d+ tools without their schemas costs at most 8,000 tokens\)\n/,
    )
  })

  it('serve --explain prints the given options, and the options without effect', async () => {
    const words = ['serve', '--explain', '--strategy', 'categories', '--core', 'read_*,nope_*']
    const { stdout } = await run(home, [...words, '--listing', 'hybrid'])
    expect(stdout).toMatch(/^Strategy: categories, listing hybrid, core read_\* nope_\* \(given with --strategy\)\n/)
    expect(stdout).toContain("\nNo tool matches 'nope_*', so it adds nothing to the core.\n")
    expect(stdout).not.toContain("'read_*'")
    expect(stdout).toMatch(
      /\nIts tool list costs [\d,]+ tokens for 28 tools\. Tokens with each strategy \(other options have their defaults\):\n/,
    )
    const { problems } = JSON.parse((await run(home, [...words, '--listing', 'hidden', '--json'])).stdout)
    expect(problems).toEqual([
      "The core has no effect: it applies with the listing 'hybrid', and the listing is 'hidden'.",
    ])
  })

  it('serve --explain labels the token count of a strategy with the options that it was counted with', async () => {
    const words = ['serve', '--explain', '--json', '--strategy', 'categories', '--listing', 'hidden']
    const { tokens, listTokens } = JSON.parse((await run(home, [...words, '--invoke'])).stdout)
    expect(listTokens).toBe(tokens['categories hidden invoke'])
    expect(JSON.parse((await run(home, words)).stdout).listTokens).toBeLessThan(listTokens)
  })

  it('serve --explain prints the same token count for the full list as doctor, stats, status, list and the banner', async () => {
    const json = async (...words: readonly string[]) => JSON.parse((await run(home, [...words, '--json'])).stdout)
    const full = (await json('serve', '--explain')).tokens.individual
    expect(full).toBeGreaterThan(1_000)
    const { servers } = await json('list', '--tools')
    const parts = servers.map(({ tokens = 0 }: { tokens?: number }) => tokens)
    expect({
      doctor: (await json('doctor')).listTokens,
      stats: (await json('stats')).tokens.fullList,
      status: (await json('status')).tokens.without,
      list: parts.reduce((sum: number, tokens: number) => sum + tokens, BRACKET_TOKENS),
    }).toEqual({ doctor: full, stats: full, status: full, list: full })
    const child = start(home, ['serve', '--http', '--port', '0', '--no-auth'])
    const banner = await printed(child, 'with it')
    await stopped(child, 'SIGTERM')
    expect(banner).toContain(`${full.toLocaleString('en-US')} without Toolcrib`)
  })

  it('serve --explain prints the choice of the strategy auto as JSON', async () => {
    const { stdout } = await run(home, ['serve', '--explain', '--json', '--strategy', 'auto', '--budget', '50'])
    const { strategy, lists, reason, listTokens, tokens } = JSON.parse(stdout)
    expect({ strategy, lists }).toEqual({ strategy: 'auto', lists: 'gateway' })
    expect(reason).toContain('cost more than the budget of 50 tokens')
    expect(listTokens).toBe(tokens.gateway)
    expect(tokens.individual).toBeGreaterThan(tokens['categories stripped'])
  })

  it.each([
    [['--strategy', 'manage', '--listing', 'hidden'], '--listing is an option of categories and capabilities'],
    [['--strategy', 'categories', '--listing', 'some'], 'listing'],
    [['--strategy', 'manage', '--max-enabled', '0'], 'maxEnabled'],
    [['--strategy', 'nothing'], "No tool strategy named 'nothing'"],
  ])('serve and serve --explain refuse %j and print the reason', async (flags, words) => {
    for (const first of [['serve'], ['serve', '--explain']]) {
      const ran = await run(home, [...first, ...flags])
      expect(ran.code).not.toBe(0)
      expect(ran.stderr).toContain(words)
    }
  })
})

describe('config validate', () => {
  it.each([
    [{ strategy: 'manage', strategyOptions: { maxEnabld: 3 } }, /Unknown field 'maxEnabld'.*'maxEnabled'/],
    [{ strategy: 'manage', strategyOptions: { autoEnable: 'yes' } }, /Field 'autoEnable': expected boolean/],
    [{ strategy: 'gateway', strategyOptions: { core: [] } }, /Its only option is 'prefix'/],
    [{ strategy: 'lazy', strategyOptions: { listing: 'hidden' } }, /Unknown field 'listing'.*'core', 'coreBudget'/],
    [{ strategy: 'nothing' }, /No tool strategy named 'nothing'/],
  ])('config validate reports the error in %j', async (discovery, message) => {
    const file = home.write('bad.json', { discovery: { servers: {}, ...discovery } })
    const { code, stdout } = await run(home, ['config', 'validate', '--json', '--config', file])
    expect(code).toBe(2)
    expect(JSON.parse(stdout).errors).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })])
  })

  it('config validate accepts the strategy options that flags accept', async () => {
    const strategyOptions = { listing: 'hybrid', core: ['read_*'], coreBudget: 100, invoke: true }
    const file = home.write('good.json', { discovery: { servers: {}, strategy: 'categories', strategyOptions } })
    expect((await run(home, ['config', 'validate', '--config', file])).code).toBe(0)
  })
})

describe('serve', () => {
  it('serve takes the options of a strategy as flags', async () => {
    await serving(['--strategy', 'categories', '--listing', 'hidden', '--no-invoke'], async (client) => {
      expect(await names(client)).toEqual(['list_tool_categories', 'get_category_tools', 'get_tool_schema'])
    })
    await serving(
      ['--strategy', 'capabilities', '--prefix', 'my', '--listing', 'hybrid', '--core', 'read_text_*'],
      async (client) => {
        expect(await names(client)).toEqual(['my_capabilities', 'my_tool_schema', 'files__read_text_file'])
      },
    )
    await serving(['--strategy', 'lazy', '--prefix', 'acme'], async (client) => {
      expect(await names(client)).toContain('acme-discover')
    })
  })

  it('serve logs once what auto has chosen, and why', async () => {
    await serving(['--strategy', 'auto'], async (client, stderr) => {
      await names(client)
      await names(client)
      expect(stderr().match(/auto lists as/g)).toHaveLength(1)
      expect(stderr()).toMatch(
        /auto lists as individual: \d+ tools cost .* \(tokens: individual [\d,]+, gateway [\d,]+\)/,
      )
      const { stdout } = await run(home, ['stats', '--json'])
      const { strategy, running } = JSON.parse(stdout)
      expect(strategy).toMatchObject({ strategy: 'gateway', reason: 'the default', listTokens: expect.any(Number) })
      expect(running).toEqual([
        expect.objectContaining({ strategy: 'auto', choice: expect.objectContaining({ strategy: 'individual' }) }),
      ])
    })
  })

  it('serve counts the hits of the schema cache, which stats prints', async () => {
    await serving(['--strategy', 'capabilities'], async (client) => {
      const ask = () => client.callTool({ name: 'toolcrib_tool_schema', arguments: { tool: 'files__read_text_file' } })
      for (let call = 0; call < 3; call++) await ask()
      const { stdout } = await run(home, ['stats'])
      expect(stdout).toMatch(/^Running as process \d+: capabilities.*; schemaCache \{"hits":2,"misses":1\}$/m)
    })
  })
})
