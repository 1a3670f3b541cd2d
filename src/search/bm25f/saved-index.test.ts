import { describe, expect, it } from 'vitest'
import { takeSnapshot } from '../../catalog/snapshot.ts'
import type { Snapshot } from '../../catalog/tool-set.ts'
import { entryOf } from '../../sources/source.fixture.ts'
import { rankerContract } from '../ranker.contract.ts'
import { fromFile } from '../saved-index.fixture.ts'
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
})

it('bm25fStorage does not save an index of another ranker', () => {
  expect(bm25fStorage.save({ search: async () => [] })).toBeUndefined()
})
