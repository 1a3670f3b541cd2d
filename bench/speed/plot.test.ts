import { expect, it } from 'vitest'
import { plotSvg } from './plot.ts'

it('plotSvg prints the name of each line, and draws no point above or below the frame', () => {
  const svg = plotSvg('Times', [
    {
      name: 'list',
      points: [
        [10, 0.2],
        [100_000, 40],
      ],
    },
    {
      name: 'search',
      points: [
        [10, 0.5],
        [100_000, 90],
      ],
    },
  ])
  expect(svg).toContain('>list<')
  expect(svg).toContain('>search<')
  expect(svg).toContain('>100,000<')
  expect(svg).not.toContain('NaN')
  const ys = [...svg.matchAll(/[ML][\d.]+ (-?[\d.]+)/g)].map(([, y]) => Number(y))
  expect(Math.min(...ys)).toBeGreaterThanOrEqual(40)
  expect(Math.max(...ys)).toBeLessThanOrEqual(410)
})
