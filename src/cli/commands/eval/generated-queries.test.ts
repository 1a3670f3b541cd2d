import { expect, it } from 'vitest'
import { takeSnapshot } from '../../../catalog/snapshot.ts'
import { entryOf } from '../../../sources/source.fixture.ts'
import { generateQueries } from './generated-queries.ts'

const toolsOf = (...descriptions: readonly string[]) =>
  takeSnapshot([{ sourceId: 's', entries: descriptions.map((description, at) => entryOf(`t${at}`, { description })) }])
    .tools

it('uses the first sentence of a tool as query, and removes it from the tool', () => {
  const { queries, tools } = generateQueries(toolsOf('Send a mail to a person. Needs an address.'), () => true)
  expect(queries).toEqual([{ id: 's:t0', query: 'Send a mail to a person', relevant: [{ server: 's', name: 't0' }] }])
  expect(tools.map(({ description }) => description)).toEqual(['Needs an address.'])
})

it('accepts any of several tools with the same first sentence', () => {
  const { queries } = generateQueries(toolsOf('Send a mail soon. One.', 'send a  mail soon. Two.'), () => true)
  expect(queries).toMatchObject([{ relevant: [{ name: 't0', alts: [{ name: 't1' }] }] }])
})

it('makes no query of a sentence with fewer than 3 words, and keeps the sentence', () => {
  const { queries, tools } = generateQueries(toolsOf('List.', 'It is what it is.', ''), () => true)
  expect(queries).toEqual([])
  expect(tools.map(({ description }) => description)).toEqual(['List.', 'It is what it is.', ''])
})

it('makes no query for a tool that is not wanted, but removes its first sentence too', () => {
  const all = toolsOf('Send a mail soon. One.', 'Delete a mail soon. Two.')
  const { queries, tools } = generateQueries(all, ({ name }) => name === 't0')
  expect(queries.map(({ id }) => id)).toEqual(['s:t0'])
  expect(tools.map(({ description }) => description)).toEqual(['One.', 'Two.'])
})

it('makes at most 1,000 queries, spread evenly over a large catalog', () => {
  const all = toolsOf(...Array.from({ length: 2_500 }, (_, at) => `Send mail number ${at} soon. Yes.`))
  const { queries } = generateQueries(all, () => true)
  expect(queries).toHaveLength(1_000)
  expect(new Set(queries.map(({ id }) => id)).size).toBe(1_000)
  expect(Number(queries.at(-1)?.id.toString().slice(3))).toBeGreaterThan(2_490)
})
