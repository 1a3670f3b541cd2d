// Date arithmetic with days in the format YYYY-MM-DD.

const MS_PER_DAY = 86_400_000

export function addDays(date: string, days: number): string {
  return new Date(startOf(date) + days * MS_PER_DAY).toISOString().slice(0, 10)
}

export function daysBetween(from: string, to: string): number {
  return Math.round((startOf(to) - startOf(from)) / MS_PER_DAY)
}

/** The start of the day in milliseconds since 1970. */
export function startOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`)
}
