// Runs the example of the README, and checks the token figures, the length and the picture of the README.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withClient } from '../bench/serve.ts'
import { loadTokenCounter } from '../src/core/tokens.ts'
import { removeFolder } from '../src/storage/remove-folder.fixture.ts'
import { endChild } from './e2e/gateway/processes.ts'
import { manyCommands } from './fixtures/many-commands.ts'

const readme = readFileSync('README.md', 'utf8')
const example = readFileSync('examples/quickstart/server.js', 'utf8')

it('the README contains the same example as examples/quickstart', () => {
  expect(readme).toContain(`\`\`\`js\n${example}\`\`\``)
})

describe('the example of the README', () => {
  const folder = mkdtempSync(join('examples', 'quickstart', 'copy-'))
  const client = new Client({ name: 'reader', version: '1.0.0' })
  let server: ChildProcess

  beforeAll(async () => {
    // A copy of the file that listens on any free port and prints its address.
    const copy = join(folder, 'server.js')
    const onAnyPort = example.replace("toolStrategy: 'lazy'", "toolStrategy: 'lazy', transport: 'http', port: 0")
    writeFileSync(copy, `${onAnyPort}console.error(\`\${server.getUrl()}/mcp\`)\n`)
    server = spawn(process.execPath, [copy], { stdio: ['ignore', 'inherit', 'pipe'] })
    for await (const line of createInterface({ input: server.stderr! })) {
      await client.connect(new StreamableHTTPClientTransport(new URL(line)))
      return
    }
    throw new Error('The example ended before it listened. Run `npm test` to build what it needs.')
  })
  afterAll(async () => {
    await client.close()
    await endChild(server, 'SIGTERM')
    await removeFolder(folder)
  })

  it('the example of the README speaks stdio to a client that starts it', async () => {
    const starter = new Client({ name: 'starter', version: '1.0.0' })
    const stdio = { command: process.execPath, args: ['examples/quickstart/server.js'], stderr: 'ignore' as const }
    await starter.connect(new StdioClientTransport(stdio))
    expect((await starter.listTools()).tools).toHaveLength(5)
    await starter.close()
  })

  it('the example of the README answers the calls in the README', async () => {
    const call = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent
    expect(await call('afd-discover', { search: 'todo' })).toMatchObject({ data: { total: 2 } })
    expect(await call('afd-detail', { command: ['todo-add', 'todo-get'] })).toMatchObject({
      data: [{ callable: true }, { callable: true }],
    })
    expect(await call('afd-call', { command: 'todo-add', input: { text: 'Buy milk' } })).toMatchObject({
      data: { id: 1, text: 'Buy milk' },
    })
    const steps = [
      { command: 'todo-add', input: { text: 'Buy milk' } },
      { command: 'todo-get', input: { id: '$prev.id' } },
    ]
    expect(await call('afd-pipe', { steps })).toMatchObject({ success: true, data: { id: 2, text: 'Buy milk' } })
  })
})

it.each(['individual', 'grouped', 'lazy'])('the README states the real cost of %s', async (strategy) => {
  const count = await loadTokenCounter()
  const costs = []
  for (const size of [10, 80, 500]) {
    const { tools } = await withClient(manyCommands(size), strategy, (client) => client.listTools())
    costs.push(count(JSON.stringify(tools)).toLocaleString('en-US'))
  }
  expect(readme.split('\n').find((line) => line.startsWith(`| \`${strategy}\``))).toContain(`| ${costs.join(' · ')} |`)
})

it('the README has at most 200 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(200)
})

describe('the picture of the README', () => {
  const shown: Readonly<Record<string, string>> = {
    'every tool listed': '`individual`',
    grouped: '`grouped`',
    'categories, stripped': '`categories`, stripped',
    'capabilities, hidden': '`capabilities`, hidden, `invoke`',
    'categories, hidden': '`categories`, hidden, `invoke`',
    lazy: '`lazy`',
    gateway: '`gateway`',
    manage: '`manage`',
  }

  it.each(['light', 'dark'])('the picture in the %s theme shows the sums of the table of real servers', (theme) => {
    const picture = readFileSync(`docs/images/tokens-${theme}.svg`, 'utf8')
    const texts = [...picture.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text)
    const rows = readme.split('\n').filter((line) => /^\|(?: [\d,]+ \|){4}$/.test(line.replace(/^\| [^|]* /, '')))
    const sums = Object.entries(shown).flatMap(([name, strategy]) => {
      const cells = rows.find((row) => row.startsWith(`| ${strategy} |`))?.split('|') ?? []
      const [list = 0, task = 0] = cells.slice(-3, -1).map((cell) => Number(cell.trim().replaceAll(',', '')))
      return [name, (list + task).toLocaleString('en-US')]
    })
    expect(texts.slice(3)).toEqual(sums)
  })
})
