// Draws a chart with uPlot, and adapts it to the width of its box.

import uPlot from 'uplot'

interface Drawing {
  readonly times: readonly number[]
  readonly kind: 'bars' | 'lines'
  readonly series: readonly {
    readonly name: string
    readonly colour: string
    readonly values: readonly (number | null)[]
  }[]
  readonly ink: string
  readonly line: string
  format(value: number): string
}

const HEIGHT = 140
const AXIS_WIDTH = 56
const BAR_SHARE = 0.7
/** The steps of the axis are whole numbers, because a count has no fractions. */
const STEPS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000].flatMap((n) => [n, 2 * n, 5 * n])

/** Returns a function that removes the chart. */
export function drawChart(parent: HTMLElement, drawing: Drawing): () => void {
  const { times, kind, series, ink, line, format } = drawing
  const font = `12px ${getComputedStyle(parent).fontFamily}`
  const axis = { stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { show: false } }
  const paths = kind === 'bars' ? uPlot.paths.bars?.({ size: [BAR_SHARE, 24] }) : undefined
  const chart = new uPlot(
    {
      width: parent.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 20, 0, 0],
      scales: {
        x: { time: true, range: (_, first, last) => widen(first, last, times.length) },
        y: { range: (_, min, max) => rangeOf(min, max) },
      },
      axes: [
        { ...axis, grid: { show: false }, size: 28, gap: 8, space: 64, values: (_, splits) => splits.map(timeText) },
        {
          ...axis,
          size: AXIS_WIDTH,
          space: 28,
          incrs: STEPS,
          values: (_, splits) => splits.map((value) => format(value)),
        },
      ],
      series: [
        {},
        ...series.map(({ name, colour }) => ({
          label: name,
          stroke: colour,
          width: kind === 'bars' ? 0 : 1.5,
          points: { show: kind === 'lines', size: 4, fill: colour },
          ...(kind === 'bars' ? { fill: colour } : {}),
          ...(paths === undefined ? {} : { paths }),
        })),
      ],
    },
    [[...times], ...series.map(({ values }) => [...values])],
    parent,
  )
  const watcher = new ResizeObserver(() => chart.setSize({ width: parent.clientWidth, height: HEIGHT }))
  watcher.observe(parent)
  return () => {
    watcher.disconnect()
    chart.destroy()
  }
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

function timeText(seconds: number): string {
  return CLOCK.format(seconds * 1_000)
}

/** Adds half a slot on each side, so that the first and the last bar are not cut. */
function widen(first: number, last: number, slots: number): [number, number] {
  const half = (last - first) / Math.max(1, slots - 1) / 2
  return [first - half, last + half]
}

/** The scale always includes zero, even in an empty chart. */
function rangeOf(min: number | null, max: number | null): [number, number] {
  const low = Math.min(0, min ?? 0) * 1.05
  const high = Math.max(0, max ?? 0) * 1.05
  return low === 0 && high === 0 ? [0, 1] : [low, high]
}
