import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calculateSimilarity, findSimilarTools } from './similarity.ts'

// Few letters, so that equal and nearly equal strings occur.
const shortText = fc.string({ unit: fc.constantFrom('a', 'B', 'b', '-', 'é'), maxLength: 6 })
const anyText = fc.oneof(shortText, fc.string({ unit: 'binary', maxLength: 30 }))
const commandName = fc
  .array(fc.constantFrom('order', 'orders', 'user', 'get', 'create', 'x'), { minLength: 1, maxLength: 4 })
  .map((words) => words.join('-'))

// The recursive definition of edit distance.
function slowDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const [restA, restB] = [a.slice(1), b.slice(1)]
  if (a[0] === b[0]) return slowDistance(restA, restB)
  return 1 + Math.min(slowDistance(restA, b), slowDistance(a, restB), slowDistance(restA, restB))
}

function slowSimilarity(left: string, right: string): number {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()]
  return a === b ? 1 : 1 - slowDistance(a, b) / Math.max(a.length, b.length)
}

describe('calculateSimilarity', () => {
  it('returns one minus the edit distance divided by the longer length', () => {
    expect(calculateSimilarity('kitten', 'sitting')).toBeCloseTo(1 - 3 / 7)
    expect(calculateSimilarity('user-crate', 'user-create')).toBeCloseTo(1 - 1 / 11)
  })

  it('returns 0 for a name and an empty text, and 1 for two empty texts', () => {
    expect(calculateSimilarity('', 'order')).toBe(0)
    expect(calculateSimilarity('order', '')).toBe(0)
    expect(calculateSimilarity('', '')).toBe(1)
  })

  it('returns the same similarity for both orders of the two names', () => {
    fc.assert(fc.property(anyText, anyText, (a, b) => calculateSimilarity(a, b) === calculateSimilarity(b, a)))
  })

  it('returns 1 only for names that are equal except for letter case', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(calculateSimilarity(a, b) === 1).toBe(a.toLowerCase() === b.toLowerCase())
      }),
    )
    expect(calculateSimilarity('Order-Get', 'order-GET')).toBe(1)
  })

  it('returns a number between 0 and 1', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const similarity = calculateSimilarity(a, b)
        expect(similarity).toBeGreaterThanOrEqual(0)
        expect(similarity).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('equals the slow recursive definition', () => {
    fc.assert(fc.property(shortText, shortText, (a, b) => calculateSimilarity(a, b) === slowSimilarity(a, b)))
  })
})

describe('findSimilarTools', () => {
  const names = ['order-create', 'order-get', 'order-cancel', 'user-create', 'invoice-send']

  it('puts the most similar name first', () => {
    expect(findSimilarTools('order-crate', names)[0]).toBe('order-create')
    expect(findSimilarTools('ORDER-GET', names)[0]).toBe('order-get')
  })

  it('returns at most three names by default', () => {
    expect(findSimilarTools('order', ['order1', 'order2', 'order3', 'order4'])).toEqual(['order1', 'order2', 'order3'])
    expect(findSimilarTools('order', names, 1)).toHaveLength(1)
    expect(findSimilarTools('order', names, 0)).toEqual([])
  })

  it('keeps names with a score of at least 0.4', () => {
    expect(findSimilarTools('abcde', ['abxyz', 'axxyz'])).toEqual(['abxyz'])
    expect(findSimilarTools('zzzzzzzz', names)).toEqual([])
  })

  it('returns nothing for an empty name or one longer than any real name', () => {
    expect(findSimilarTools('', names)).toEqual([])
    expect(findSimilarTools('order-create'.repeat(100_000), names)).toEqual([])
  })

  it('accepts the names from any iterable', () => {
    expect(findSimilarTools('order-gets', new Map([['order-get', 1]]).keys())).toEqual(['order-get'])
  })

  it('gives the same names as scoring all, filtering by 0.4, and a stable sort', () => {
    fc.assert(
      fc.property(commandName, fc.array(commandName, { maxLength: 12 }), fc.nat(5), (name, candidates, max) => {
        const slow = candidates
          .map((candidate) => ({ candidate, score: calculateSimilarity(name, candidate) }))
          .filter(({ score }) => score >= 0.4)
          .toSorted((a, b) => b.score - a.score)
          .slice(0, max)
          .map(({ candidate }) => candidate)
        expect(findSimilarTools(name, candidates, max)).toEqual(slow)
      }),
    )
  })
})
