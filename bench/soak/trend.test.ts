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
  it('trendOf reports memory as flat if it grows only while the program warms up', () => {
    expect(
      trendOf(
        'residentMegabytes',
        samples((share) => (share < 0.4 ? 100 + share * 200 : 180)),
      ).isFlat,
    ).toBe(true)
  })

  it('trendOf does not report memory as flat if it grows until the end', () => {
    const trend = trendOf(
      'residentMegabytes',
      samples((share) => 100 + share * 100),
    )
    expect(trend.isFlat).toBe(false)
    expect(trend.ended).toBeGreaterThan(trend.begun + 30)
  })

  it('trendOf ignores a single outlier', () => {
    const spiky = samples((share) => (share === 0.9 ? 900 : 150))
    expect(trendOf('residentMegabytes', spiky)).toEqual({
      what: 'residentMegabytes',
      begun: 150,
      ended: 150,
      isFlat: true,
    })
  })

  it('trendOf does not report processes as flat without samples', () => {
    expect(trendOf('processes', []).isFlat).toBe(false)
  })
})
