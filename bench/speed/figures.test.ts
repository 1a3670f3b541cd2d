import { describe, expect, it } from 'vitest'
import { growthExponent, median, quantile, spreadOf } from './figures.ts'

describe('median and quantile', () => {
  it('median and quantile return the middle value of an unsorted list', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(quantile([9, 1, 5], 0.5)).toBe(5)
  })

  it('median returns the mean of the middle two values if the number of values is even', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5)
  })

  it('quantile 0.99 returns the greatest of a hundred values, and of fewer values', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => at)
    expect(quantile(hundred, 0.99)).toBe(99)
    expect(quantile([3, 1, 2], 0.99)).toBe(3)
  })

  it('median and quantile return NaN for an empty list', () => {
    expect(median([])).toBeNaN()
    expect(quantile([], 0.5)).toBeNaN()
  })
})

it('spreadOf returns the minimum, the median and the maximum of the rounds', () => {
  expect(spreadOf([2, 8, 3])).toEqual({ median: 3, min: 2, max: 8 })
})

describe('growthExponent', () => {
  const sizes = [1_000, 10_000, 100_000]
  const exponentOf = (time: (size: number) => number) => growthExponent(sizes.map((size) => [size, time(size)]))

  it('growthExponent returns 1 for n log n with any factor', () => {
    expect(exponentOf((n) => n * Math.log2(n))).toBeCloseTo(1)
    expect(exponentOf((n) => 0.003 * n * Math.log2(n))).toBeCloseTo(1)
  })

  it('growthExponent returns less than 1 for n and for a constant time, and more than 1 for n squared', () => {
    expect(exponentOf((n) => n)).toBeLessThan(1)
    expect(exponentOf(() => 7)).toBeCloseTo(0)
    expect(exponentOf((n) => n * n)).toBeGreaterThan(1.5)
  })
})
