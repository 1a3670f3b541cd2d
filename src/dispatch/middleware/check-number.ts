// Checks the numbers in options of middleware and of the result limit.

import { raise } from '../../core/errors.ts'

interface NumberBounds {
  readonly min: number
  readonly max: number
  readonly whole?: boolean
}

export function checkNumber(owner: string, name: string, value: number, { min, max, whole = false }: NumberBounds) {
  // Both comparisons are false for NaN.
  if (typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value))) return
  raise('INVALID_OPTIONS', {
    what: `${owner} options`,
    reason: `${name} is ${String(value)}`,
    todo: `Give ${name} as a ${whole ? 'whole ' : ''}number ${max === Number.POSITIVE_INFINITY ? `of at least ${min}` : `from ${min} to ${max}`}.`,
  })
}
