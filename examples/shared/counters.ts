// Ids and times that are the same in every run: consecutive numbers, and a clock that advances with each change.

/** The last number of each name. */
export type Counters = Map<string, number>

export const FIRST_DAY = '2026-03-02'
const START_MS = Date.parse(`${FIRST_DAY}T09:00:00Z`)
const CLOCK = 'minutes'

/** Returns the next number. Numbers of deleted records are not used again. */
export function nextNumber(counters: Counters, name: string): number {
  const number = (counters.get(name) ?? 0) + 1
  counters.set(name, number)
  return number
}

export function now(counters: Counters): string {
  return new Date(START_MS + (counters.get(CLOCK) ?? 0) * 60_000).toISOString().replace('.000Z', 'Z')
}

/** The time of a change, one minute after the previous one, so that records can be sorted by time. */
export function nextTime(counters: Counters): string {
  nextNumber(counters, CLOCK)
  return now(counters)
}
