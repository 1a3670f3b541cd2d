import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDistance, NearStrings } from './near-strings.ts'

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 9 })

describe('editDistance', () => {
  it.each([
    ['weather', 'weather', 0],
    ['weather', 'wether', 1],
    ['weather', 'waether', 1],
    ['weather', 'weathers', 1],
    ['weather', 'feather', 1],
    ['weather', 'father', 2],
    ['weather', 'climate', 3],
  ])('returns the distance of %j and %j: %i, where 3 stands for any distance above 2', (a, b, distance) => {
    expect(Math.min(editDistance(a, b, 2), 3)).toBe(distance)
  })

  it('returns a symmetric distance, equal to a slow and simple version', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = slowDistance(a, b)
        expect(editDistance(a, b, 10)).toBe(distance)
        expect(editDistance(b, a, 10)).toBe(distance)
        expect(editDistance(a, b, 1) <= 1).toBe(distance <= 1)
      }),
    )
  })
})

describe('NearStrings', () => {
  it('finds the same strings as a comparison with every string', () => {
    fc.assert(
      fc.property(fc.array(word), word, fc.constantFrom(1, 2), (strings, wanted, maxEdits) => {
        const all = new NearStrings(strings.keys(), (position) => strings[position] ?? '')
        const usable = [...strings.keys()].filter((position) => (strings[position]?.length ?? 0) >= 3)
        const near = usable.filter((position) => slowDistance(wanted, strings[position] ?? '') <= maxEdits)
        const found = all.near(wanted, maxEdits).map(({ position }) => position)
        expect(found.toSorted()).toEqual(wanted.length < 3 ? [] : near.toSorted())
        const longer = usable.filter((at) => strings[at]?.startsWith(wanted) && strings[at] !== wanted)
        expect(all.longer(wanted).toSorted()).toEqual(longer.toSorted())
      }),
    )
  })

  it('ignores strings with fewer than 3 or more than 64 characters', () => {
    const strings = ['ab', 'x'.repeat(500)]
    const all = new NearStrings(strings.keys(), (position) => strings[position] ?? '')
    expect(all.near('ab', 1)).toEqual([])
    expect(all.near('x'.repeat(500), 1)).toEqual([])
    expect(all.longer('x'.repeat(100))).toEqual([])
  })
})

/** Follows the definition: letters inserted, deleted or replaced, or two neighbours swapped. */
function slowDistance(a: string, b: string): number {
  const known = new Map<string, number>()
  const from = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j
    const key = `${i} ${j}`
    const before = known.get(key)
    if (before !== undefined) return before
    const costs = [from(i - 1, j) + 1, from(i, j - 1) + 1, from(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)]
    if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) costs.push(from(i - 2, j - 2) + 1)
    const least = Math.min(...costs)
    known.set(key, least)
    return least
  }
  return from(a.length, b.length)
}
