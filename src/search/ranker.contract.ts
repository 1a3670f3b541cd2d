// The contract tests of every ranker.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SourceListing, takeSnapshot } from '../catalog/snapshot.ts'
import { entryOf } from '../sources/source.fixture.ts'
import type { Hit, Index, Ranker } from './ranker.ts'

const { signal } = new AbortController()

const shop: readonly SourceListing[] = [
  {
    sourceId: 'shop',
    entries: [
      entryOf('order-create', { description: 'Create an order for a customer.', tags: ['sales', 'write'] }),
      entryOf('order-cancel', { description: 'Cancel a pending order of a customer.', tags: ['sales', 'write'] }),
      entryOf('order-list', { description: 'List the orders of a customer, newest first.', tags: ['sales', 'read'] }),
      entryOf('user-create', { description: 'Create a user account with a name and an email.', tags: ['admin'] }),
      entryOf('user-delete', { description: 'Delete a user account for ever.', tags: ['admin'] }),
      entryOf('invoice-send', { description: 'Send the invoice of an order by email.', category: 'billing' }),
      entryOf('status', { description: 'The state of the shop.' }),
    ],
  },
  {
    sourceId: 'git',
    entries: [
      entryOf('push', { description: 'Upload the commits of a branch to its remote.' }),
      entryOf('create_branch', { description: 'Create a branch at a commit.' }),
      entryOf('status', { description: 'Show the changed files of the working tree.' }),
    ],
  },
]

const QUERIES = [
  'order',
  'create order',
  'cancel a pending order',
  'email',
  'sales',
  'commits on a branch',
  'delete user',
]

const HOSTILE = [
  '',
  '   ',
  '\u0000',
  '__proto__',
  'constructor toString hasOwnProperty',
  '.*(a+)+$',
  '\\',
  '"; DROP TABLE tools; --',
  '\ud800',
  '💥',
  'создать 创建 إنشاء',
  'order '.repeat(20_000),
  'x'.repeat(100_000),
  '创建订单'.repeat(25_000),
  'aB'.repeat(50_000),
  '\u0301'.repeat(100_000),
  '\u0301\u0316'.repeat(50_000),
]

const word = fc.constantFrom('order', 'user', 'create', 'delete', 'send', 'email', 'list', 'the')
const phrase = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '))
const anyShop = fc
  .array(fc.tuple(phrase, fc.array(word, { maxLength: 2 })), { maxLength: 12 })
  .map((tools) =>
    tools.map(([text, tags], index) => entryOf(`${text.split(' ')[0]}-${index}`, { description: text, tags })),
  )

/**
 * Defines the tests that every ranker must pass. For example, equal queries have equal answers, the limit applies after
 * the filter, an exact name comes first, and hostile queries are answered in less than a second.
 *
 * @example
 * ```ts
 * rankerContract('shared-words', sharedWords.rank)
 * ```
 */
export function rankerContract(name: string, ranker: Ranker): void {
  const indexOf = (listings: readonly SourceListing[]): Promise<Index> => ranker(takeSnapshot(listings), signal)
  const all = { limit: 1_000 }
  const idsOf = (hits: readonly Hit[]) => hits.map((hit) => hit.id)

  describe(`${name} fulfils the ranker contract`, () => {
    it('returns the same hits for the same query, from the same index and from another', async () => {
      const [one, other] = [await indexOf(shop), await indexOf(shop)]
      for (const query of QUERIES) {
        const hits = await one.search(query, all)
        expect(await one.search(query, all)).toEqual(hits)
        expect(await other.search(query, all)).toEqual(hits)
      }
    })

    it('returns the same hits for any order of the tools and sources in the catalog', async () => {
      const shuffled = anyShop.chain((entries) =>
        fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length }), phrase),
      )
      await fc.assert(
        fc.asyncProperty(shuffled, async ([entries, other, query]) => {
          const hits = await (await indexOf([{ sourceId: 's', entries }])).search(query, all)
          expect(await (await indexOf([{ sourceId: 's', entries: other }])).search(query, all)).toEqual(hits)
          const few = hits.slice(0, 3)
          expect(await (await indexOf([{ sourceId: 's', entries: other }])).search(query, { limit: 3 })).toEqual(few)
        }),
      )
      for (const query of QUERIES) {
        const hits = await (await indexOf(shop)).search(query, all)
        expect(await (await indexOf(shop.toReversed())).search(query, all)).toEqual(hits)
      }
      const twins = ['b', 'a', 'c'].map((end) => entryOf(`x-${end}`, { description: 'Send an email', category: 'x' }))
      expect(idsOf(await (await indexOf([{ sourceId: 's', entries: twins }])).search('email', all))).toEqual([
        's:x-a',
        's:x-b',
        's:x-c',
      ])
    })

    it('uses the usage counts only to order equally relevant tools, and changes no relevance', async () => {
      const index = await indexOf(shop)
      const ids = takeSnapshot(shop).tools.map((tool) => tool.id)
      const used = fc.array(fc.tuple(fc.constantFrom(...ids), fc.double({ min: 0, max: 1e6, noNaN: true })))
      await fc.assert(
        fc.asyncProperty(used, fc.constantFrom(...QUERIES), fc.nat(ids.length), async (counts, query, limit) => {
          const usage = new Map(counts)
          const without = await index.search(query, all)
          const learned = await index.search(query, { ...all, usage })
          const byId = (a: Hit, b: Hit) => (a.id < b.id ? -1 : 1)
          expect(learned.toSorted(byId)).toEqual(without.toSorted(byId))
          expect(learned.map((hit) => hit.relevance)).toEqual(without.map((hit) => hit.relevance))
          const cut = await index.search(query, { limit, usage })
          expect(cut.map((hit) => hit.relevance)).toEqual(without.slice(0, limit).map((hit) => hit.relevance))
        }),
      )
    })

    it('returns relevances from 0 to 1 with two decimals, best first, and each tool once', async () => {
      await fc.assert(
        fc.asyncProperty(anyShop, phrase, async (entries, query) => {
          const hits = await (await indexOf([{ sourceId: 's', entries }])).search(query, all)
          const relevances = hits.map((hit) => hit.relevance)
          expect(relevances).toEqual(relevances.toSorted((a, b) => b - a))
          for (const relevance of relevances) {
            expect(relevance).toBeGreaterThanOrEqual(0)
            expect(relevance).toBeLessThanOrEqual(1)
            expect(Math.round(relevance * 100) / 100).toBe(relevance)
          }
          expect(new Set(idsOf(hits)).size).toBe(hits.length)
        }),
      )
    })

    it('filters before the limit, and keeps order and relevance', async () => {
      const index = await indexOf(shop)
      const ids = takeSnapshot(shop).tools.map((tool) => tool.id)
      await fc.assert(
        fc.asyncProperty(
          fc.subarray(ids),
          fc.constantFrom(...QUERIES),
          fc.nat(ids.length),
          async (some, query, limit) => {
            const within = new Set(some)
            const slow = (await index.search(query, all)).filter((hit) => within.has(hit.id)).slice(0, limit)
            expect(await index.search(query, { limit, within })).toEqual(slow)
          },
        ),
      )
    })

    it('gives relevance 1 to a tool if the query is exactly its name or id, ignoring case', async () => {
      const index = await indexOf(shop)
      for (const tool of takeSnapshot(shop).tools) {
        for (const query of [tool.name, tool.id, ` ${tool.name.toUpperCase()} `]) {
          const hits = await index.search(query, all)
          expect(hits.find((hit) => hit.id === tool.id)?.relevance).toBe(1)
          expect(hits[0]?.relevance).toBe(1)
        }
      }
    })

    it('gives relevance 1 to a tool if the query is exactly its listed name', async () => {
      const index = await indexOf(shop)
      for (const tool of takeSnapshot(shop).tools) {
        expect(await index.search(tool.listedName, { limit: 1 })).toEqual([{ id: tool.id, relevance: 1 }])
      }
    })

    it('gives no hit the relevance 1 if the query is not a name', async () => {
      const index = await indexOf(shop)
      for (const query of QUERIES) {
        for (const { relevance } of await index.search(query, all)) expect(relevance).toBeLessThan(1)
      }
    })

    it.each([
      ['cancel order', 'shop:order-cancel'],
      ['delete a user', 'shop:user-delete'],
      ['email invoice', 'shop:invoice-send'],
      ['billing', 'shop:invoice-send'],
      ['upload commits', 'git:push'],
    ])('finds tools by name, description and category: %j', async (query, best) => {
      expect((await (await indexOf(shop)).search(query, { limit: 1 }))[0]?.id).toBe(best)
    })

    it('ranks a tool with all words above tools with one of them', async () => {
      const hits = await (await indexOf(shop)).search('create order', all)
      expect(hits[0]?.id).toBe('shop:order-create')
      expect(hits[0]?.relevance).toBeGreaterThan(hits[1]?.relevance ?? 0)
    })

    it('gives every hit of an unrelated query a relevance below 0.3', async () => {
      const index = await indexOf(shop)
      for (const query of ['play the lyrics of a jazz song', 'weather forecast for a week', 'translate the poem']) {
        for (const { relevance } of await index.search(query, all)) expect(relevance).toBeLessThan(0.3)
      }
    })

    it('finds no tool for unknown words, without tools, with a limit of 0, or with an empty `within`', async () => {
      expect(await (await indexOf(shop)).search('xylophone quartz', all)).toEqual([])
      expect(await (await indexOf([])).search('order', all)).toEqual([])
      expect(await (await indexOf(shop)).search('order', { limit: 0 })).toEqual([])
      expect(await (await indexOf(shop)).search('order', { ...all, within: new Set() })).toEqual([])
    })

    it('answers each hostile query in less than 1 s, with relevances from 0 to 1', async () => {
      const index = await indexOf(shop)
      const check = async (query: string) => {
        const startedAt = performance.now()
        for (const { relevance } of await index.search(query, all)) {
          expect(relevance).toBeGreaterThanOrEqual(0)
          expect(relevance).toBeLessThanOrEqual(1)
        }
        expect(performance.now() - startedAt).toBeLessThan(1_000)
      }
      for (const query of HOSTILE) await check(query)
      await fc.assert(fc.asyncProperty(fc.string({ unit: 'binary' }), check))
    })

    it('finds a tool with the name of a property of Object.prototype', async () => {
      const entries = ['constructor', 'toString', 'hasOwnProperty'].map((one) => entryOf(one))
      const index = await indexOf([{ sourceId: 's', entries }])
      expect((await index.search('constructor', all))[0]).toEqual({ id: 's:constructor', relevance: 1 })
    })

    it('rejects a search with an aborted signal', async () => {
      const index = await indexOf(shop)
      await expect(index.search('order', { ...all, signal: AbortSignal.abort() })).rejects.toThrow('aborted')
    })
  })
}
