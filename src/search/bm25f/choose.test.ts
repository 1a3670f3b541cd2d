import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { takeSnapshot } from '../../catalog/snapshot.ts'
import { entryOf } from '../../sources/source.fixture.ts'
import { choose, EXACT_SCORE, relevanceOf } from './choose.ts'

const { tools } = takeSnapshot([
  { sourceId: 's', entries: Array.from({ length: 12 }, (_, position) => entryOf(`t${position}`)) },
])
const ids = tools.map((tool) => tool.id)
const anyScores = fc
  .array(fc.constantFrom(0, 0.001, 0.3, 0.301, 0.5, 0.7, 1.4), { minLength: 12, maxLength: 12 })
  .map((scores) => Float64Array.from(scores))

describe('choose', () => {
  it('returns the same hits as sorting all scores', () => {
    fc.assert(
      fc.property(anyScores, fc.subarray(ids), fc.nat(14), (scores, some, limit) => {
        const within = new Set(some)
        const slow = tools
          .map(({ id }, position) => ({ id, score: scores[position] ?? 0 }))
          .filter(({ id, score }) => score > 0 && within.has(id))
          .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
          .slice(0, limit)
          .map(({ id, score }) => ({ id, relevance: relevanceOf(score, 1) }))
        expect(choose(scores, 1, tools, { limit, within })).toEqual(slow)
      }),
    )
  })

  it('uses the usage counts only to order equally relevant tools, and drops no tool', () => {
    const usages = fc.array(fc.nat(3), { minLength: 12, maxLength: 12 })
    fc.assert(
      fc.property(anyScores, usages, fc.nat(14), (scores, counts, limit) => {
        const usage = new Map(ids.map((id, position) => [id, counts[position] ?? 0]))
        const all = choose(scores, 1, tools, { limit: 20, usage })
        expect(all.map((hit) => hit.relevance)).toEqual(
          choose(scores, 1, tools, { limit: 20 }).map((hit) => hit.relevance),
        )
        all.forEach(({ id, relevance }, position) => {
          const next = all[position + 1]
          if (next?.relevance === relevance) expect(usage.get(id)).toBeGreaterThanOrEqual(usage.get(next.id) ?? 0)
        })
        expect(choose(scores, 1, tools, { limit, usage })).toEqual(all.slice(0, limit))
      }),
    )
  })
})

describe('relevanceOf', () => {
  it('returns the relevance 1 only for exact names', () => {
    expect(relevanceOf(5, 2)).toBe(0.99)
    expect(relevanceOf(EXACT_SCORE, 2)).toBe(1)
    expect(relevanceOf(0.25, 2)).toBe(0.5)
  })
})
