import { describe, expect, it } from 'vitest'
import { bm25f } from '../bm25f/bm25f.ts'
import { defineRanker, isRankerPlugin } from '../ranker.ts'
import { bm25 } from './bm25.ts'
import { chooseRanker, rankers } from './builtins.ts'

const mine = defineRanker({ name: 'mine', rank: async () => ({ search: async () => [] }) })

describe('chooseRanker', () => {
  it('uses bm25f, the first built-in ranker, if no ranker is named', () => {
    expect(chooseRanker(undefined)).toBe(bm25f)
    expect([...rankers.values()][0]?.rank).toBe(bm25f)
  })

  it('finds built-in rankers and those of the user by name, and accepts a ranker object', () => {
    expect(chooseRanker('bm25')).toBe(bm25)
    expect(chooseRanker('mine', [mine])).toBe(mine.rank)
    expect(chooseRanker(mine)).toBe(mine.rank)
  })

  it('prefers the ranker of the user over a built-in one of the same name', () => {
    const other = defineRanker({ ...mine, name: 'bm25' })
    expect(chooseRanker('bm25', [other])).toBe(other.rank)
  })

  it('refuses an unknown name and lists the known ones', () => {
    expect(() => chooseRanker('nope', [mine])).toThrow(/there is no ranker 'nope'.*'mine', 'bm25f', 'bm25', 'words'/s)
  })
})

describe('defineRanker', () => {
  it.each([
    [undefined, 'it is not an object'],
    [{ rank: mine.rank }, 'it has no name'],
    [{ name: 'mine' }, 'it has no function rank'],
  ])('refuses %j as a ranker: %s', (given, reason) => {
    expect(isRankerPlugin(given)).toBe(false)
    // The type checker refuses these values, JavaScript callers can still pass them.
    expect(() => defineRanker(given as never)).toThrow(reason)
  })
})
