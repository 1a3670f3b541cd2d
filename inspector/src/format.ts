// Formats numbers with their units, times and ages for the whole page. A no-break space keeps a unit beside its number.

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const SHORT = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${number(n)} ${n === 1 ? noun : plural}`
}

export function number(n: number): string {
  return WHOLE.format(n)
}

/** For numbers that can be fractions, such as the progress of a call. */
export function decimal(n: number): string {
  return SHORT.format(n)
}

export function tokens(n: number): string {
  return count(n, 'token')
}

export function milliseconds(ms: number): string {
  if (ms < 10) return `${SHORT.format(ms)}\u00a0ms`
  if (ms < 1_000) return `${WHOLE.format(ms)}\u00a0ms`
  if (ms < 60_000) return `${SHORT.format(ms / 1_000)}\u00a0s`
  return duration(ms)
}

export function bytes(n: number): string {
  if (n < 1_000) return `${n}\u00a0B`
  if (n < 1_000_000) return `${SHORT.format(n / 1_000)}\u00a0kB`
  return `${SHORT.format(n / 1_000_000)}\u00a0MB`
}

/** For long durations, in one unit: seconds, minutes, hours (up to two days) or days. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds}\u00a0s`
  if (seconds < 3_600) return `${Math.round(seconds / 60)}\u00a0min`
  if (seconds < 172_800) return `${SHORT.format(seconds / 3_600)}\u00a0h`
  return `${WHOLE.format(seconds / 86_400)}\u00a0days`
}

/** `part` of `whole` in percent, with one decimal digit below 10 and above 90. A part below the whole is never 100 %. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '0\u00a0%'
  const value = (part / whole) * 100
  if (value > 999) return '>\u00a0999\u00a0%'
  const digits = value > 0 && value < 100 && (value < 10 || value > 90) ? 1 : 0
  const shown = Number(value.toFixed(digits))
  return `${shown === 100 && part < whole ? '99.9' : shown}\u00a0%`
}

export function clock(time: string): string {
  return TIME.format(new Date(time))
}

export function dateTime(time: string): string {
  return DATE_TIME.format(new Date(time))
}

/** Returns the age of `time`, for example `5 min ago`. `now` is the time of the gateway. */
export function ago(time: string, now: string | number): string {
  return `${duration(new Date(now).getTime() - new Date(time).getTime())} ago`
}
