// Reads a time in the future: a duration such as `90d`, or a date.

const HOUR_MS = 3_600_000
const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: HOUR_MS,
  d: 24 * HOUR_MS,
  w: 7 * 24 * HOUR_MS,
  y: 365 * 24 * HOUR_MS,
  s: 1_000,
}
const MAX_MS = 100 * 365 * 24 * HOUR_MS

/** In milliseconds since 1970. Undefined if the text is not a time after `now`. */
export function timeFrom(text: string, now: number): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})([smhdwy])$/.exec(text) ?? []
  const isDate = /^\d{4}-\d{2}-\d{2}/.test(text)
  const at = amount === undefined ? (isDate ? Date.parse(text) : Number.NaN) : now + Number(amount) * (UNITS[unit] ?? 0)
  return at > now && at < now + MAX_MS ? at : undefined
}
