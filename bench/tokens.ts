// npm run bench:tokens: the tokens of the tool list by strategy and number of commands, of the answers under lazy, and
// of the list and a typical task with the tools of real servers.

import type { Client } from '@modelcontextprotocol/client'
import { loadTokenCounter } from '../src/core/tokens.ts'
import { manyCommands } from '../test/fixtures/many-commands.ts'
import { type Row, report } from './report.ts'
import { withClient } from './serve.ts'
import { reportCatalog } from './tokens/catalog.ts'

const SIZES = [10, 80, 500]
const count = await loadTokenCounter()

async function listTokens(client: Client): Promise<number> {
  return count(JSON.stringify((await client.listTools()).tools))
}

/** Counts the text of a result, which the model reads. */
async function answerTokens(client: Client, name: string, args: Record<string, unknown>): Promise<number> {
  const { content } = await client.callTool({ name, arguments: args })
  return content.reduce((sum, block) => sum + (block.type === 'text' ? count(block.text) : 0), 0)
}

const lists: Row[] = []
for (const strategy of ['individual', 'grouped', 'lazy']) {
  const row: Record<string, string | number> = { strategy }
  for (const size of SIZES) row[`${size} commands`] = await withClient(manyCommands(size), strategy, listTokens)
  lists.push(row)
}
const lazy = Number(lists.find((row) => row.strategy === 'lazy')?.['500 commands'])
report('tokens-list', 'Tokens of tools/list (o200k)', lists, [
  { what: 'lazy tools/list with 500 commands', value: lazy, max: 1_000 },
])

const commands = manyCommands(500)
const names = commands.map((command) => command.name)
const answers = await withClient(commands, 'lazy', async (client) => {
  const discover = (args: Record<string, unknown>) => answerTokens(client, 'afd-discover', args)
  const category = String(names[0]?.split('-')[0])
  return [
    { answer: 'afd-discover, default limit', tokens: await discover({}) },
    { answer: `afd-discover {category: '${category}'}`, tokens: await discover({ category }) },
    { answer: "afd-discover {search: 'create'}", tokens: await discover({ search: 'create' }) },
    { answer: 'afd-detail, one command', tokens: await answerTokens(client, 'afd-detail', { command: names[0] }) },
    {
      answer: 'afd-detail, two commands',
      tokens: await answerTokens(client, 'afd-detail', { command: names.slice(0, 2) }),
    },
  ]
})
report('tokens-answers', 'Tokens of the answers under lazy, 500 commands (o200k)', answers, [
  { what: 'afd-discover with the default limit', value: answers[0]?.tokens ?? 0, max: 1_800 },
])

await reportCatalog()
