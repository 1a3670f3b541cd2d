// Reads the two environment variables that choose a strategy if no flag, option or configuration does.

import { raise } from '../core/errors.ts'

export interface SwitchedStrategy {
  readonly strategy: string
  /** The variable and its value, such as `LAZY_MODE=1`. */
  readonly reason: string
}

/** The strategy of each value of TOOL_LOADING. */
const STRATEGY_BY_LOADING: Readonly<Record<string, string>> = { eager: 'individual', lazy: 'categories' }
const ON = ['true', '1', 'yes', 'on']
const OFF = ['false', '0', 'no', 'off']

/** TOOL_LOADING has precedence over LAZY_MODE. An empty value counts as not set. */
export function strategyIn(env: Readonly<Record<string, string | undefined>>): SwitchedStrategy | undefined {
  const loading = env.TOOL_LOADING ?? ''
  const lazyMode = env.LAZY_MODE ?? ''
  if (loading !== '') {
    const strategy = STRATEGY_BY_LOADING[loading.toLowerCase()]
    return strategy === undefined
      ? refuseValue('TOOL_LOADING', loading, 'eager or lazy')
      : { strategy, reason: `TOOL_LOADING=${loading}` }
  }
  if (lazyMode === '') return undefined
  const reason = `LAZY_MODE=${lazyMode}`
  if (ON.includes(lazyMode.toLowerCase())) return { strategy: 'manage', reason }
  if (OFF.includes(lazyMode.toLowerCase())) return { strategy: 'individual', reason }
  return refuseValue('LAZY_MODE', lazyMode, 'true or false')
}

/** A log line with the variable that decided, so that an unexpected listing can be explained. */
export function switchLine({ strategy, reason }: SwitchedStrategy): string {
  return `strategy '${strategy}', because the environment has ${reason}`
}

function refuseValue(name: string, value: string, expected: string): never {
  return raise('INVALID_OPTIONS', {
    what: `environment variable ${name}`,
    reason: `expected ${expected}, not '${value.slice(0, 40)}'`,
    todo: `Set it to ${expected}, or leave it out.`,
  })
}
