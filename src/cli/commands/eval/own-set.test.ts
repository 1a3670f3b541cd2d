import { expect, it } from 'vitest'
import { takeSnapshot } from '../../../catalog/snapshot.ts'
import { tempFolder } from '../../../config/temp-folder.fixture.ts'
import { entryOf } from '../../../sources/source.fixture.ts'
import { auditQueries, generateQueries } from './own-set.ts'

const toolsOf = (...descriptions: readonly string[]) =>
  takeSnapshot([{ sourceId: 's', entries: descriptions.map((description, at) => entryOf(`t${at}`, { description })) }])
    .tools

it('generates a query from the first sentence of a tool, and removes that sentence from the tool', () => {
  const { queries, tools } = generateQueries(toolsOf('Send a mail to a person. Needs an address.'), () => true)
  expect(queries).toEqual([{ id: 's:t0', query: 'Send a mail to a person', relevant: [{ server: 's', name: 't0' }] }])
  expect(tools.map(({ description }) => description)).toEqual(['Needs an address.'])
})

it('a generated query accepts any of several tools with the same first sentence', () => {
  const { queries } = generateQueries(toolsOf('Send a mail soon. One.', 'send a  mail soon. Two.'), () => true)
  expect(queries).toMatchObject([{ relevant: [{ name: 't0', alts: [{ name: 't1' }] }] }])
})

it('generates no query from a sentence with fewer than 3 words that are not stop words, and keeps the sentence', () => {
  const { queries, tools } = generateQueries(toolsOf('List.', 'It is what it is.', ''), () => true)
  expect(queries).toEqual([])
  expect(tools.map(({ description }) => description)).toEqual(['List.', 'It is what it is.', ''])
})

it('generates no query for a tool that is not wanted, but removes its first sentence too', () => {
  const all = toolsOf('Send a mail soon. One.', 'Delete a mail soon. Two.')
  const { queries, tools } = generateQueries(all, ({ name }) => name === 't0')
  expect(queries.map(({ id }) => id)).toEqual(['s:t0'])
  expect(tools.map(({ description }) => description)).toEqual(['One.', 'Two.'])
})

it('generates at most 1,000 queries, spread evenly over a large catalog', () => {
  const all = toolsOf(...Array.from({ length: 2_500 }, (_, at) => `Send mail number ${at} soon. Yes.`))
  const { queries } = generateQueries(all, () => true)
  expect(queries).toHaveLength(1_000)
  expect(new Set(queries.map(({ id }) => id)).size).toBe(1_000)
  expect(Number(queries.at(-1)?.id.toString().slice(3))).toBeGreaterThan(2_490)
})

const visible = takeSnapshot([{ sourceId: 'notes', entries: [entryOf('add'), entryOf('list')] }])
const alice = { principal: 'alice', transport: 'http', era: 'legacy', session: '1' }
const bob = { ...alice, session: '2' }
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString()
const search = (seconds: number, query: string, caller: object = alice) => {
  return { time: at(seconds), event: 'search', caller, query }
}
const call = (seconds: number, tool: string, caller: object = alice, outcome = 'ok') => {
  return { time: at(seconds), event: 'call', caller, server: 'notes', tool, outcome }
}

async function labelled(...records: readonly unknown[]): Promise<Record<string, string[]>> {
  const text = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record))).join('\n')
  const folder = tempFolder()
  const queries = await auditQueries(folder.write('audit.jsonl', `${text}\n`), visible)
  return Object.fromEntries(queries.map(({ query, relevant }) => [query, relevant.map(({ name }) => name)]))
}

it('labels a search in the audit log with the tool of the next call', async () => {
  expect(await labelled(search(0, 'write it down'), call(5, 'add'), call(6, 'list'))).toEqual({
    'write it down': ['add'],
  })
})

it('keeps the searches of two callers apart, and uses the last of several searches', async () => {
  const records = [search(0, 'first'), search(1, 'other', bob), search(2, 'second'), call(3, 'list', bob)]
  expect(await labelled(...records, call(4, 'add'))).toEqual({ other: ['list'], second: ['add'] })
})

it('labels a repeated query with all tools that were called after it', async () => {
  const records = [search(0, 'notes'), call(1, 'add'), search(2, 'notes'), call(3, 'list')]
  expect(await labelled(...records)).toEqual({ notes: ['add', 'list'] })
})

it('a search gets no label from a failed call, a late call, a call of a removed tool or an earlier call', async () => {
  expect(await labelled(search(0, 'a'), call(1, 'add', alice, 'TIMEOUT'))).toEqual({})
  expect(await labelled(search(0, 'a'), call(3_600, 'add'))).toEqual({})
  expect(await labelled(search(0, 'a'), call(1, 'gone'))).toEqual({})
  expect(await labelled(call(1, 'add'), search(2, 'a'))).toEqual({})
})

it('skips lines of the audit log that cannot be parsed, and accepts a missing log', async () => {
  expect(await labelled('{"time": "20', '[]', search(0, 'a'), call(1, 'add'))).toEqual({ a: ['add'] })
  expect(await auditQueries(tempFolder().at('none.jsonl'), visible)).toEqual([])
})
