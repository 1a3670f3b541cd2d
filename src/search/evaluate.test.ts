import { describe, expect, it } from 'vitest'
import { averageQuality, judgeRanking, quantile } from './evaluate.ts'

const tool = (name: string) => ({ server: 's', name })
const ranked = (...names: string[]) => names.map(tool)

describe('judgeRanking', () => {
  it('returns the best values if the ranking starts with all relevant tools', () => {
    const quality = judgeRanking(ranked('a', 'b', 'x'), ranked('b', 'a'))
    expect(quality).toEqual({ recall1: 0.5, recall5: 1, recall10: 1, ndcg10: 1, mrr: 1 })
  })

  it('returns zeros if the ranking contains no relevant tool', () => {
    expect(judgeRanking(ranked('x', 'y'), ranked('a'))).toEqual({
      recall1: 0,
      recall5: 0,
      recall10: 0,
      ndcg10: 0,
      mrr: 0,
    })
    expect(judgeRanking([], ranked('a')).mrr).toBe(0)
  })

  it('discounts nDCG by the logarithm of the rank and mrr by the rank, and only mrr counts ranks above 10', () => {
    expect(judgeRanking(ranked('x', 'a'), ranked('a')).ndcg10).toBeCloseTo(1 / Math.log2(3))
    expect(judgeRanking(ranked('x', 'a'), ranked('a')).mrr).toBe(0.5)
    const late = judgeRanking([...Array.from({ length: 10 }, (_, at) => tool(`x${at}`)), tool('a')], ranked('a'))
    expect(late).toMatchObject({ recall10: 0, ndcg10: 0, mrr: 1 / 11 })
  })

  it('accepts any alternative of a relevant tool, but only once', () => {
    const wanted = [{ ...tool('a'), alts: [tool('b')] }, tool('c')]
    expect(judgeRanking(ranked('b', 'a', 'c'), wanted)).toMatchObject({ recall1: 0.5, recall5: 1 })
    expect(judgeRanking(ranked('b', 'a', 'c'), wanted).ndcg10).toBeCloseTo(1.5 / (1 + 1 / Math.log2(3)))
  })

  it('distinguishes tools of the same name on two servers', () => {
    expect(judgeRanking([{ server: 'other', name: 'a' }], ranked('a')).recall10).toBe(0)
  })
})

describe('averageQuality', () => {
  it('returns the mean of each measure, and 0 without queries', () => {
    const all = [judgeRanking(ranked('a'), ranked('a')), judgeRanking(ranked('x'), ranked('a'))]
    expect(averageQuality(all)).toEqual({ recall1: 0.5, recall5: 0.5, recall10: 0.5, ndcg10: 0.5, mrr: 0.5 })
    expect(averageQuality([]).ndcg10).toBe(0)
  })
})

describe('quantile', () => {
  it('returns the value at the given share, and 0 without values', () => {
    const values = Array.from({ length: 100 }, (_, at) => 100 - at)
    expect([quantile(values, 0), quantile(values, 0.5), quantile(values, 0.95), quantile(values, 1)]).toEqual([
      1, 50, 95, 100,
    ])
    expect([quantile([20, 10], 0.5), quantile([], 0.5)]).toEqual([10, 0])
  })
})
