// Measures elapsed milliseconds, rounded to two decimals.

export type MonotonicClock = () => number

export function startStopwatch(now: MonotonicClock = () => performance.now()): () => number {
  const startedAt = now()
  return () => Math.round((now() - startedAt) * 100) / 100
}
