import { expect, it } from 'vitest'
import { tempFolder } from '../../../config/temp-folder.fixture.ts'
import { readSet } from './read-set.ts'

const TOOL = { server: 'mail', name: 'send', description: 'Send it.', inputSchema: { type: 'object' } }
const QUERY = { id: 1, query: 'send mail', relevant: [{ server: 'mail', name: 'send' }] }
const lines = (...values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')

function read(tools: string, queries: string) {
  const folder = tempFolder()
  folder.write('tools.jsonl', tools)
  folder.write('queries.jsonl', queries)
  return readSet({ tools: 'tools.jsonl', queries: 'queries.jsonl' }, folder.path)
}

it('reads tools as JSON lines, as whole servers, and as one JSON list', async () => {
  const { server, ...own } = TOOL
  for (const text of [lines(TOOL), lines({ server, package: 'x', tools: [own] }), JSON.stringify([TOOL], null, 2)]) {
    const { listings, queries } = await read(text, lines(QUERY))
    expect(listings).toMatchObject([{ sourceId: 'mail', entries: [own] }])
    expect(queries).toEqual([QUERY])
  }
})

it('accepts tools with a missing or invalid schema, because real servers have such tools', async () => {
  const odd = [
    { server: 's', name: 'a' },
    { server: 's', name: 'b', inputSchema: 'none', annotations: { title: 7 } },
  ]
  const { listings } = await read(`\ufeff${lines(...odd)}\n\n`, lines(QUERY))
  expect(listings[0]?.entries).toMatchObject([
    { name: 'a', description: '', inputSchema: { type: 'object' } },
    { name: 'b', inputSchema: { type: 'object' } },
  ])
})

it('keeps the first of two tools with the same name and server', async () => {
  const { listings } = await read(lines(TOOL, { ...TOOL, description: 'Another.' }), lines(QUERY))
  expect(listings[0]?.entries.map(({ description }) => description)).toEqual(['Send it.'])
})

it.each([
  ['', '{"id": 1', 'queries.jsonl, line 1: this is not valid JSON'],
  ['', lines(QUERY, { id: 2, query: 'x', relevant: [] }), "queries.jsonl, line 2: Field 'relevant'"],
  [lines({ server: 's' }), lines(QUERY), "tools.jsonl, line 1: Required field 'name' is missing"],
  [lines({ server: 's', tools: [{}] }), lines(QUERY), "tools.jsonl, line 1: Required field 'tools[0].name' is missing"],
  ['[{"name": "a"}]', lines(QUERY), "tools.jsonl, item 1: Required field 'server' is missing"],
])(
  'the error for the tools %j and the queries %j names the line or item that cannot be read',
  async (tools, queries, where) => {
    await expect(read(tools, queries)).rejects.toThrow(where)
  },
)

it('the error for a missing file names the file', async () => {
  const files = { tools: 'none.jsonl', queries: 'none.jsonl' }
  await expect(readSet(files, tempFolder().path)).rejects.toThrow("'none.jsonl' does not exist")
})
