// Row 7 of docs/security.md: hidden characters in the texts of a server are removed and reported, but kept in results.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CliHome,
  connect,
  createHome,
  hasTerminal,
  main,
  processesWith,
  root,
  run,
  runOnTerminal,
} from '../e2e/cli/harness.ts'

/** The text of the fixture, with each kind of hidden character. */
const HIDDEN = 'sh\u{e0049}\u{e0067}o\u202ew\u200bn\u001b[8m\u009b8m\u0007'
const UNSEEN = /[^\P{Cc}\n\t]|[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u
/** Names that a call must send as the server wrote them. */
const NAMES = /spli\u200bt|zero\u200bwidth/g
const server = join(root, 'build/test/fixtures/upstream/hidden-texts.js')
const STRATEGIES = ['individual', 'lazy', 'grouped', 'categories', 'capabilities', 'gateway', 'manage'] as const

/** Every string and key in a JSON value, except the names and values that a call must send back. */
function* textsIn(value: unknown, key = ''): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item, key)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      if (name === 'enum' || name === 'required') continue
      if (key !== 'properties') yield name
      yield* textsIn(item, name)
    }
  }
}

function expectClean(value: unknown): void {
  const left = [...textsIn(value)].filter((text) => UNSEEN.test(text.replace(NAMES, '')))
  expect(left).toEqual([])
}

let home: CliHome
beforeAll(() => {
  home = createHome()
  home.write('.config/toolcrib/config.json', {
    discovery: {
      servers: {
        hostile: { command: process.execPath, args: [server] },
        other: { command: process.execPath, args: [join(root, 'build/test/fixtures/upstream/notes.js')] },
      },
    },
  })
})
afterAll(async () => {
  expect(processesWith(server)).toEqual([])
  await home.remove()
})

async function withClient<T>(args: readonly string[], work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(home, { command: process.execPath, args: [main, ...args] })
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

const call = (client: Client, name: string, args: object = {}) =>
  client.callTool({ name, arguments: { ...args } }) as Promise<{
    content: unknown
    structuredContent?: unknown
    isError?: boolean
  }>

describe('row 7: descriptions and schemas', () => {
  it.each(STRATEGIES)(
    'descriptions and schemas contain no hidden characters in the list of the strategy %s',
    async (strategy) => {
      await withClient(['serve', '--strategy', strategy], async (client) => {
        const { tools } = await client.listTools()
        expect(tools.length).toBeGreaterThan(0)
        expectClean(tools)
        expectClean(client.getInstructions())
      })
    },
  )

  it('descriptions and schemas contain no hidden characters in searches, details, prompts and resources', async () => {
    await withClient(['serve'], async (client) => {
      const servers = await call(client, 'list_mcp_servers')
      expect(JSON.stringify(servers)).toContain('hostile')
      expectClean(servers)
      expectClean(await call(client, 'list_tools', { server: 'hostile' }))
      expectClean(await call(client, 'search_tools', { query: 'shown' }))
      const details = await call(client, 'get_tool_details', { server: 'hostile', tool: 'search' })
      expectClean(details)
      expect(JSON.stringify(details)).toContain(
        '5 invisible characters and 2 terminal sequences were removed from the description',
      )
      const examples = await call(client, 'get_tool_details', { tool: 'hostile:search', examples: true })
      expect(JSON.stringify(examples)).toContain('shown')
      expectClean(examples)
      expectClean((await client.listPrompts()).prompts)
      expectClean((await client.listResources()).resources)
    })
  })

  it('descriptions and metadata contain no hidden characters in the inventory and the categories', async () => {
    for (const [strategy, tool, args] of [
      ['capabilities', 'toolcrib_capabilities', {}],
      ['categories', 'list_tool_categories', {}],
      ['categories', 'get_category_tools', { category: 'shown' }],
      ['lazy', 'afd-discover', { category: 'shown' }],
    ] as const) {
      await withClient(['serve', '--strategy', strategy], async (client) => {
        const answer = await call(client, tool, args)
        expect(JSON.stringify(answer)).toContain('shown')
        expectClean(answer)
      })
    }
  })

  it('descriptions, schemas and the instructions of the server contain no hidden characters behind wrap', async () => {
    await withClient(['wrap', '--', process.execPath, server], async (client) => {
      const { tools } = await client.listTools()
      expectClean(tools)
      expect(tools.find(({ name }) => name === 'search')?.description).toBe('shown')
      expect(JSON.stringify(tools)).not.toContain('warnings')
      expect(client.getInstructions()).toContain('shown')
      expectClean(client.getInstructions())
    })
  })

  it('descriptions keep joiners of emoji and of words', async () => {
    await withClient(['serve', '--strategy', 'individual'], async (client) => {
      const clean = (await client.listTools()).tools.find(({ name }) => name.endsWith('clean'))
      expect(clean?.description).toBe('An emoji 👩‍👩‍👧 and a word with a joiner: می‌خواهم.')
    })
  })
})

describe('row 7: calls', () => {
  it('calls return results unchanged and errors without hidden characters; names reach the server as it wrote them', async () => {
    await withClient(['serve'], async (client) => {
      const execute = (tool: string, given: object = {}) =>
        call(client, 'execute_tool', { server: 'hostile', tool, arguments: given })
      const args = { 'zero\u200bwidth': 'va\u{e0041}lue' }
      const answer = await execute('search', args)
      expect(answer.structuredContent).toMatchObject({ result: { echoed: HIDDEN, got: args } })
      expect(JSON.stringify(answer.content)).toContain(JSON.stringify(HIDDEN).slice(1, -1))
      const split = await execute('spli\u200bt')
      expect(split.isError ?? false).toBe(false)
      for (const tool of ['refuse', 'fail']) {
        const failed = await execute(tool)
        expect(failed.isError).toBe(true)
        expect(JSON.stringify(failed)).toContain('shown')
        expectClean(failed)
      }
    })
  })
})

describe('row 7: the command line', () => {
  it('doctor, inspect and tools show what was removed, and show names with escapes', async () => {
    const doctor = await run(home, ['doctor', 'hostile'])
    expect(doctor.stdout.replace(/\s+/g, ' ')).toContain(
      "tool 'search': 5 invisible characters and 2 terminal sequences were removed from the title",
    )
    expect(doctor.stdout.replace(/\s+/g, ' ')).toContain("its name contains invisible characters: 'spli\\u{200b}t'")
    expect(doctor.stdout).toContain(
      '5 invisible characters and 2 terminal sequences were removed from the instructions',
    )
    const inspect = await run(home, ['inspect', 'hostile', 'search'])
    expect(inspect.stdout).toContain(
      'Note: 5 invisible characters and 2 terminal sequences were removed from the description',
    )
    expect(inspect.stdout).toContain('zero\\u{200b}width')
    const tools = await run(home, ['tools', 'hostile', '--json'])
    expect(JSON.parse(tools.stdout).tools[0]).toMatchObject({ name: 'search', summary: 'shown' })
    expect(JSON.parse(tools.stdout).tools[0].warnings).toContain(
      '5 invisible characters and 2 terminal sequences were removed from the description',
    )
    for (const { stdout, stderr } of [doctor, inspect, tools]) expect(`${stdout}${stderr}`).not.toMatch(UNSEEN)
  })

  it('tools fetches a list again that an earlier version has cached', async () => {
    await run(home, ['tools', 'hostile'])
    const folder = join(home.folder, '.cache/toolcrib')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
    const manifests = files.filter(
      (file) => file.endsWith('.json') && readFileSync(file, 'utf8').includes('"format":2'),
    )
    expect(manifests.length).toBeGreaterThan(0)
    for (const file of manifests) {
      const text = readFileSync(file, 'utf8')
      writeFileSync(
        file,
        text.replace('"format":2', '"format":1').replaceAll('"description":"shown"', '"description":"o\u200bld"'),
      )
    }
    const { stdout } = await run(home, ['tools', 'hostile', '--json'])
    expect(JSON.parse(stdout).tools[0].summary).toBe('shown')
  })

  it.runIf(hasTerminal)('the command line writes no raw escapes to a terminal', async () => {
    for (const words of [
      ['inspect', 'hostile', 'search'],
      ['execute', 'hostile', 'search'],
      ['execute', 'hostile', 'fail'],
      ['search', 'shown'],
      ['list', '--tools'],
      ['tools', 'hostile'],
      ['doctor', 'hostile'],
      ['logs', 'hostile'],
      ['stats'],
      ['status'],
      ['pins', 'list'],
      ['token', 'list'],
    ]) {
      const { stdout } = await runOnTerminal(home, words, { env: { NO_COLOR: '1' } })
      // The progress line is erased with a sequence of our own.
      const rest = stdout.replaceAll('\u001b[K', '').replaceAll('\u001b[2K', '').replaceAll('\r', '')
      expect(rest.trim(), words.join(' ')).not.toBe('')
      expect(rest, words.join(' ')).not.toMatch(UNSEEN)
    }
  })
})
