// Times of runs, and statistics: median, quantile, spread over rounds, and the exponent with which a time grows.

/** The milliseconds of each run. The runs follow each other. */
export async function measureRuns(runs: number, work: (run: number) => unknown): Promise<readonly number[]> {
  const taken: number[] = []
  for (let run = 0; run < runs; run++) {
    const before = performance.now()
    await work(run)
    taken.push(performance.now() - before)
  }
  return taken
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** For an even number of values, this is the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

export interface FigureSpread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function spreadOf(values: readonly number[]): FigureSpread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/**
 * The exponent e of the best fit `time = c * (n log n) ^ e`: 1 is n log n, less is better. It is the slope of a least
 * squares line through the logarithms.
 */
export function growthExponent(points: readonly (readonly [size: number, time: number])[]): number {
  const xs = points.map(([size]) => Math.log(size * Math.log2(size)))
  const ys = points.map(([, time]) => Math.log(time))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanX, meanY] = [mean(xs), mean(ys)]
  const across = xs.reduce((sum, x, at) => sum + (x - meanX) * ((ys[at] ?? 0) - meanY), 0)
  return across / xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0)
}
