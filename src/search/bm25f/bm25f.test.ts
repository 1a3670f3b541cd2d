import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SourceListing, takeSnapshot } from '../../catalog/snapshot.ts'
import type { ToolEntry } from '../../core/tool.ts'
import { entryOf } from '../../sources/source.fixture.ts'
import { rankerContract } from '../ranker.contract.ts'
import type { Index } from '../ranker.ts'
import { bm25f } from './bm25f.ts'

rankerContract('bm25f', bm25f)

const { signal } = new AbortController()

const build = (...listings: SourceListing[]): Promise<Index> => bm25f(takeSnapshot(listings), signal)
const source = (sourceId: string, ...entries: ToolEntry[]): SourceListing => ({ sourceId, entries })
const tool = (name: string, description: string, fields: Partial<ToolEntry> = {}) =>
  entryOf(name, { description, ...fields })
const filler = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map((name) => tool(name, 'Something else.'))

async function rank(query: string, ...entries: readonly ToolEntry[]): Promise<string[]> {
  const index = await build(source('s', ...entries))
  return (await index.search(query, { limit: 10 })).map((hit) => hit.id.slice(2))
}

describe('the fields that bm25f indexes', () => {
  const schema = {
    type: 'object',
    properties: {
      latitude: { type: 'number', description: 'Degrees north of the equator.' },
      place: { type: 'object', properties: { zipcode: { type: 'string' } } },
      mode: { type: 'string', enum: ['bicycle', 'walking'] },
    },
  }
  const wanted = tool('lookup', 'Says where it is. Uses a gazetteer.', {
    title: 'Whereabouts',
    category: 'atlas',
    tags: ['cartography'],
    inputSchema: schema,
  })

  it.each([
    ['name', 'lookup thing'],
    ['title', 'whereabouts'],
    ['description', 'gazetteer'],
    ['category', 'atlas'],
    ['tags', 'cartography'],
    ['parameter name', 'latitude'],
    ['nested parameter name', 'zipcode'],
    ['parameter description', 'equator'],
    ['parameter choices', 'bicycle'],
  ])('indexes the %s of a tool', async (_field, query) => {
    expect((await rank(query, ...filler, wanted))[0]).toBe('lookup')
  })

  it('indexes the server of a tool', async () => {
    const index = await build(source('github', tool('push', 'Upload.')), source('gitlab', tool('push', 'Upload.')))
    expect((await index.search('upload on gitlab', { limit: 1 }))[0]?.id).toBe('gitlab:push')
  })

  it('indexes a tool with an invalid schema', async () => {
    const odd: unknown[] = [{ properties: 7 }, { properties: { a: null, b: [], c: { enum: [1, {}] } } }, { items: 'x' }]
    // The catalog only checks that a schema is an object.
    const entries = odd.map((one, at) =>
      tool(`odd${at}`, 'Odd thing.', { inputSchema: one as ToolEntry['inputSchema'] }),
    )
    expect(await rank('odd things', ...entries, ...filler)).toHaveLength(3)
  })
})

describe('how bm25f reads a query', () => {
  const mail = tool('send_email', 'Send an email.')
  const movie = tool('find_movie', 'Find a movie by its title.')
  const pulls = tool('list_pull_requests', 'List the pull requests of a repository.')

  it.each([
    ['remove the record', 'delete_record'],
    ['film', 'find_movie'],
    ['prs of a repo', 'list_pull_requests'],
    ['sendemail', 'send_email'],
    ['send e-mail', 'send_email'],
  ])('finds a synonym or another spelling: %j', async (query, best) => {
    expect((await rank(query, tool('delete_record', 'Delete it.'), mail, movie, pulls, ...filler))[0]).toBe(best)
  })

  it('gives a word a higher score than its synonym', async () => {
    const found = await rank(
      'delete record',
      tool('remove_record', 'It does.'),
      tool('delete_record', 'It does.'),
      ...filler,
    )
    expect(found.slice(0, 2)).toEqual(['delete_record', 'remove_record'])
  })

  it('corrects or completes a word that no tool has, but does not change a known word', async () => {
    expect((await rank('find moive', mail, movie, ...filler))[0]).toBe('find_movie')
    expect((await rank('find mov', mail, movie, ...filler))[0]).toBe('find_movie')
    expect(await rank('live', tool('live', 'It runs.'), tool('list', 'It gives.'), ...filler)).toEqual(['live'])
  })

  it('corrects a typo in a name of several words', async () => {
    for (const query of ['list_pul_requests', 'lits_pull_requests', 'list_pull_request']) {
      expect((await rank(query, mail, movie, pulls, ...filler))[0]).toBe('list_pull_requests')
    }
  })

  it.each([
    'please call `find_movie` for me, I want to send an email about it',
    'use "find_movie" to send an email',
    'send an email with find_movie',
    'first s:find_movie, then send an email',
  ])('ranks a tool first if its name occurs in %j', async (query) => {
    expect((await rank(query, mail, movie, pulls, ...filler))[0]).toBe('find_movie')
  })

  it('finds a tool for each need of a request before it lists variants of one tool', async () => {
    const variants = ['a', 'b', 'c', 'd', 'e'].map((end) =>
      tool(`weather_forecast_${end}`, 'Get the weather forecast of a city for the next days.'),
    )
    const hotel = tool('book_room', 'Book a hotel room.')
    const query = 'I need the weather forecast of the city for the next days. Also book a hotel room.'
    expect((await rank(query, ...variants, hotel, ...filler)).slice(0, 2)).toContain('book_room')
  })

  it('finds the tool for the few important words of a very long request', async () => {
    const smallTalk =
      'I was thinking about what we could possibly do this weekend and my friends said they would like it too. '
    const found = await rank(`${smallTalk.repeat(10)} Could you find a movie for us?`, mail, movie, pulls, ...filler)
    expect(found[0]).toBe('find_movie')
  })

  it('finds words of scripts without spaces by pairs of characters', async () => {
    const search = tool('bing', '使用必应搜索指定的关键词')
    expect((await rank('关键词搜索', ...filler, search))[0]).toBe('bing')
  })

  it('finds no tool by stop words alone', async () => {
    expect(await rank('what is it that you have', mail, movie, ...filler)).toEqual([])
  })
})

describe('an index built from an earlier one', () => {
  const word = fc.constantFrom('order', 'user', 'create', 'delete', 'mail', 'list', 'weather', 'film')
  const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
  const sources = fc
    .array(fc.array(text, { maxLength: 4 }), { minLength: 1, maxLength: 4 })
    .map((all) => all.map((texts, at) => source(`s${at}`, ...texts.map((one, n) => tool(`t${n}`, one)))))

  it('gives the same results as a new index, for any change of the tools', async () => {
    await fc.assert(
      fc.asyncProperty(sources, sources, text, async (before, after, query) => {
        const mixed = after.map((listing, at) => (at % 2 === 0 ? (before[at] ?? listing) : listing))
        const previous = await build(...before)
        const answer = await previous.search(query, { limit: 20 })
        const next = await bm25f(takeSnapshot(mixed), signal, previous)
        const anew = await build(...mixed)
        expect(await next.search(query, { limit: 20 })).toEqual(await anew.search(query, { limit: 20 }))
        expect(await previous.search(query, { limit: 20 })).toEqual(answer)
      }),
    )
  })

  it('ignores an index of another ranker', async () => {
    const other: Index = { search: async () => [] }
    const index = await bm25f(takeSnapshot([source('s', tool('a', 'Send mail.'))]), signal, other)
    expect(await index.search('send mail', { limit: 5 })).toHaveLength(1)
  })

  it('stops building when its signal is aborted', async () => {
    const many = Array.from({ length: 3 }, (_, at) =>
      source(`s${at}`, ...Array.from({ length: 500 }, (_, n) => tool(`t${n}`, 'Does it.'))),
    )
    await expect(bm25f(takeSnapshot(many), AbortSignal.abort())).rejects.toThrow('aborted')
  })
})

describe('explain', () => {
  it('lists the matched words with their fields, largest share first', async () => {
    const fields = ['name', 'summary', 'category'].map((field) => ({ field }))
    const index = await build(source('s', tool('delete_record', 'Delete a record of the store.'), ...filler))
    const explained = index.explain?.('remove the records', 's:delete_record')
    const [hit] = await index.search('remove the records', { limit: 1 })
    expect(explained).toMatchObject({
      relevance: hit?.relevance,
      named: false,
      reasons: [
        { word: 'records', term: 'record', how: 'word', fields },
        { word: 'remove', term: 'delete', how: 'same', fields },
      ],
    })
    const total = (parts: readonly { readonly share: number }[] = []) =>
      parts.reduce((sum, { share }) => sum + share, 0)
    expect(total(explained?.reasons)).toBeCloseTo(1)
    for (const { fields } of explained?.reasons ?? []) expect(total(fields)).toBeCloseTo(1)
  })

  it('marks a tool that the query names, and returns undefined for a tool that is not found', async () => {
    const index = await build(source('s', tool('delete_record', 'Delete it.'), ...filler))
    expect(index.explain?.('delete_record', 's:delete_record')).toMatchObject({ relevance: 1, named: true })
    expect(index.explain?.('delete_record', 's:alpha')).toBeUndefined()
    expect(index.explain?.('delete_record', 's:nothing')).toBeUndefined()
  })

  it('does not count a stop word as a form of another word', async () => {
    // The stem of `does` is `doe`.
    const index = await build(source('s', tool('doe_count', 'Counts what it does.', { category: 'x' }), ...filler))
    const [reason] = index.explain?.('doe', 's:doe_count')?.reasons ?? []
    expect(reason?.fields).toEqual([{ field: 'name', share: 1 }])
  })
})
