import { describe, expect, it } from 'vitest'
import { takeSnapshot } from '../../catalog/snapshot.ts'
import { entryOf } from '../../sources/source.fixture.ts'
import { rankerContract } from '../ranker.contract.ts'
import { fromFile } from '../saved-index.fixture.ts'
import { bm25, bm25Storage } from './bm25.ts'
import { rankers } from './builtins.ts'

rankerContract('bm25', bm25)
rankerContract('bm25 from a file', fromFile(bm25, bm25Storage))

const { signal } = new AbortController()

async function rank(query: string, ...entries: readonly ReturnType<typeof entryOf>[]): Promise<string[]> {
  const index = await bm25(takeSnapshot([{ sourceId: 's', entries }]), signal)
  return (await index.search(query, { limit: 10 })).map((hit) => hit.id.slice(2))
}

const filler = ['alpha', 'beta', 'gamma', 'delta'].map((name) => entryOf(name, { description: 'Something else.' }))

describe('bm25', () => {
  it('gives a word in the name a higher weight than a word in the description', async () => {
    const inText = entryOf('one', { description: 'refund here today' })
    const inName = entryOf('refund', { description: 'does it today' })
    expect(await rank('refund money', inText, inName, ...filler)).toEqual(['refund', 'one'])
  })

  it('gives a rare word a higher weight than a common one', async () => {
    const common = ['a', 'b', 'c', 'd'].map((name) => entryOf(name, { description: 'list things now' }))
    const rare = entryOf('e', { description: 'refund things now' })
    expect((await rank('list refund', ...common, rare))[0]).toBe('e')
  })

  it('gives a word in a short text a higher weight than the same word in a long text', async () => {
    const short = entryOf('one', { description: 'send mail' })
    const long = entryOf('two', { description: `send ${'very '.repeat(50)} long mail` })
    expect(await rank('send', long, short, ...filler)).toEqual(['one', 'two'])
  })

  it('counts a repeated word of a query only once', async () => {
    const index = await bm25(takeSnapshot([{ sourceId: 's', entries: filler }]), signal)
    const once = await index.search('something beta', { limit: 10 })
    expect(await index.search('something beta beta something', { limit: 10 })).toEqual(once)
  })
})

describe('the storage of an index', () => {
  it('saves only an index of its own ranker', async () => {
    const snapshot = takeSnapshot([{ sourceId: 's', entries: filler }])
    for (const { name, storage } of rankers.values()) {
      for (const other of rankers.values()) {
        const saved = (await storage?.())?.save(await other.rank(snapshot, signal))
        expect(saved !== undefined).toBe(storage !== undefined && other.name === name)
      }
    }
  })
})
