import { describe, expect, it, vi } from 'vitest'
import { takeSnapshot } from '../../catalog/snapshot.ts'
import type { Snapshot } from '../../catalog/tool-set.ts'
import { entryOf } from '../../sources/source.fixture.ts'
import { rankerContract } from '../ranker.contract.ts'
import { fromFile } from '../saved-index.fixture.ts'
import { stem } from '../words/stem.ts'
import { ASKING_WORDS, SCENE_WORDS } from '../words/weak-words.ts'
import { bm25f } from './bm25f.ts'
import { bm25fStorage } from './saved-index.ts'

const saved = fromFile(bm25f, bm25fStorage)
const reopened = (snapshot: Snapshot) => saved(snapshot, new AbortController().signal)

rankerContract('bm25f from a file', saved)

describe('an index loaded from a file', () => {
  const tools = [
    entryOf('create_issue', {
      description: 'Create a new issue. Takes a title.',
      title: 'New issue',
      tags: ['tracker'],
    }),
    entryOf('listOrders', { description: 'Lists the orders of a customer, newest first.' }),
    entryOf('send_email', { description: 'Sends an electronic letter with a déjà vu attachment.' }),
    entryOf('天気', { description: '天気予報を取得します' }),
  ]
  const snapshot = takeSnapshot([
    { sourceId: 'github', entries: tools.slice(0, 2) },
    { sourceId: 'mail', entries: tools.slice(2) },
  ])

  it.each([
    'create issue',
    'please help me find the newest orders',
    'mail a letter',
    'creat isue',
    'listorders',
    'github:create_issue',
    'déjà vu',
    '天気',
    'zzz',
  ])('finds and explains %j like the original index', async (query) => {
    const built = await bm25f(snapshot, new AbortController().signal)
    const opened = await reopened(snapshot)
    expect(await opened.search(query, { limit: 10 })).toEqual(await built.search(query, { limit: 10 }))
    for (const { id } of snapshot.tools) expect(opened.explain?.(query, id)).toEqual(built.explain?.(query, id))
  })

  it('does not save an index of another ranker', () => {
    expect(bm25fStorage.save({ search: async () => [] })).toBeUndefined()
  })
})

describe('the thesaurus loaded from a file', () => {
  it('returns the same synonyms as the original', async () => {
    const { printThesaurus, synonymsOf } = await import('../words/thesaurus.ts')
    const text = Buffer.from(printThesaurus())
    vi.resetModules()
    const fresh = await import('../words/thesaurus.ts')
    expect(fresh.synonymsOf).not.toBe(synonymsOf)
    fresh.adoptThesaurus(text)
    const terms = text
      .toString()
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '')
    expect(terms.length).toBeGreaterThan(1_000)
    for (const term of [...terms, 'nosuchword']) expect(fresh.synonymsOf(term)).toEqual(synonymsOf(term))
  })
})

describe('weak words', () => {
  it('recognizes weak words by their stems, and no other words', () => {
    for (const word of ['looking', 'possibly', 'recommendation', 'planned'])
      expect(ASKING_WORDS.has(stem(word))).toBe(true)
    for (const word of ['friends', 'yesterday', 'completely']) expect(SCENE_WORDS.has(stem(word))).toBe(true)
    for (const word of ['invoice', '', 'friend', 'ünder']) expect(ASKING_WORDS.has(stem(word))).toBe(false)
  })
})
