// Checks a stored time in milliseconds since 1970.

/** The largest time of a `Date`. For larger numbers, `toISOString` throws. */
const MAX_TIME_MS = 8.64e15

export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS
}
