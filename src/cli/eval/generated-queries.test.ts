import { expect, it } from 'vitest'
import { takeSnapshot } from '../../catalog/snapshot.ts'
import { entryOf } from '../../sources/source.fixture.ts'
import { generateQueries } from './generated-queries.ts'

const toolsOf = (...descriptions: readonly string[]) =>
  takeSnapshot([{ sourceId: 's', entries: descriptions.map((description, at) => entryOf(`t${at}`, { description })) }])
    .tools

it('asks with the first sentence, which is then in no tool', () => {
  const { queries, tools } = generateQueries(toolsOf('Send a mail to a person. Needs an address.'), () => true)
  expect(queries).toEqual([{ id: 's:t0', query: 'Send a mail to a person', relevant: [{ server: 's', name: 't0' }] }])
  expect(tools.map(({ description }) => description)).toEqual(['Needs an address.'])
})

it('takes tools that say the same for each other', () => {
  const { queries } = generateQueries(toolsOf('Send a mail soon. One.', 'send a  mail soon. Two.'), () => true)
  expect(queries).toMatchObject([{ relevant: [{ name: 't0', alts: [{ name: 't1' }] }] }])
})

it('leaves sentences that say too little where they are', () => {
  const { queries, tools } = generateQueries(toolsOf('List.', 'It is what it is.', ''), () => true)
  expect(queries).toEqual([])
  expect(tools.map(({ description }) => description)).toEqual(['List.', 'It is what it is.', ''])
})

it('asks for no tool that may not be found, and indexes it as it does the others', () => {
  const all = toolsOf('Send a mail soon. One.', 'Delete a mail soon. Two.')
  const { queries, tools } = generateQueries(all, ({ name }) => name === 't0')
  expect(queries.map(({ id }) => id)).toEqual(['s:t0'])
  expect(tools.map(({ description }) => description)).toEqual(['One.', 'Two.'])
})

it('asks a bounded number of questions, from all over a large catalog', () => {
  const all = toolsOf(...Array.from({ length: 2_500 }, (_, at) => `Send mail number ${at} soon. Yes.`))
  const { queries } = generateQueries(all, () => true)
  expect(queries).toHaveLength(1_000)
  expect(new Set(queries.map(({ id }) => id)).size).toBe(1_000)
  expect(Number(queries.at(-1)?.id.toString().slice(3))).toBeGreaterThan(2_490)
})
