import { describe, expect, it } from 'vitest'
import { type ResourceSample, trendOf } from './trend.ts'

function samples(megabytesAt: (share: number) => number): readonly ResourceSample[] {
  return Array.from({ length: 100 }, (_, at) => ({
    atMs: at * 1_000,
    residentMegabytes: megabytesAt(at / 100),
    descriptors: 40,
    processes: 6,
  }))
}

describe('trendOf', () => {
  it('trendOf reports that memory has stopped growing if it grows only while the program warms up', () => {
    expect(
      trendOf(
        'residentMegabytes',
        samples((share) => (share < 0.4 ? 100 + share * 200 : 180)),
      ).hasStoppedGrowing,
    ).toBe(true)
  })

  it('trendOf does not report that memory has stopped growing if it grows until the end', () => {
    const trend = trendOf(
      'residentMegabytes',
      samples((share) => 100 + share * 100),
    )
    expect(trend.hasStoppedGrowing).toBe(false)
    expect(trend.last).toBeGreaterThan(trend.middle + 30)
  })

  it('trendOf ignores a single outlier', () => {
    const spiky = samples((share) => (share === 0.9 ? 900 : 150))
    expect(trendOf('residentMegabytes', spiky)).toEqual({
      what: 'residentMegabytes',
      middle: 150,
      last: 150,
      hasStoppedGrowing: true,
    })
  })

  it('trendOf does not report that the processes have stopped growing if there are no samples', () => {
    expect(trendOf('processes', []).hasStoppedGrowing).toBe(false)
  })
})
