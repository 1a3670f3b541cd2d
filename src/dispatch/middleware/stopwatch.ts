// Milliseconds since a moment, to two decimals.

export type Clock = () => number

export function startStopwatch(now: Clock = () => performance.now()): () => number {
  const startedAt = now()
  return () => Math.round((now() - startedAt) * 100) / 100
}
