// Checks options that come from untyped code (plain JavaScript) and describes the first fault in words.

import { isRecord } from './is-record.ts'
import { findSimilarTools } from './similarity.ts'
import { quoteList, showValue } from './text.ts'

/** Returns undefined if the value is valid, else a text with what was expected and what was found. */
export type Check = (value: unknown) => string | undefined

export interface FieldFault {
  /** The name of the field; undefined if the fault is an unknown field or the whole value. */
  readonly field: string | undefined
  readonly reason: string
  readonly todo: string
}

export function expecting(expected: string, fits: (value: unknown) => boolean): Check {
  return (value) => (fits(value) ? undefined : `expected ${expected}, found ${showValue(value)}`)
}

export const aText = expecting('a text', (value) => typeof value === 'string')
export const aNumber = expecting('a number', (value) => typeof value === 'number')
export const aFlag = expecting('true or false', (value) => typeof value === 'boolean')
export const aFunction = expecting('a function', (value) => typeof value === 'function')
export const anObject = expecting('an object', isRecord)

export function aWholeNumber(min: number): Check {
  return expecting(
    `a whole number of at least ${min}`,
    (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= min,
  )
}

export function oneOf(...texts: readonly string[]): Check {
  return expecting(`one of ${quoteList(texts)}`, (value) => texts.some((text) => text === value))
}

/** `plural` names the entries in the message, such as `texts`. */
export function aListOf(entry: Check, plural: string): Check {
  return (value) => {
    if (!Array.isArray(value)) return `expected a list of ${plural}, found ${showValue(value)}`
    const index = value.findIndex((one) => entry(one) !== undefined)
    return index < 0 ? undefined : `entry ${index + 1}: ${entry(value[index])}`
  }
}

/** Finds the first invalid or unknown field. A field that is undefined counts as left out. */
export function findFieldFault(given: unknown, checks: Readonly<Record<string, Check>>): FieldFault | undefined {
  if (!isRecord(given)) {
    return { field: undefined, reason: anObject(given) ?? '', todo: 'Give an object with its fields.' }
  }
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined) continue
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined
    if (check === undefined) return unknownField(field, Object.keys(checks))
    const fault = check(value)
    if (fault !== undefined) return { field, reason: fault, todo: 'Correct it, or leave it out.' }
  }
  return undefined
}

function unknownField(field: string, fields: readonly string[]): FieldFault {
  const [similar] = findSimilarTools(field, fields, 1)
  return {
    field: undefined,
    reason: `${showValue(field)} is not one of its fields`,
    todo: similar === undefined ? `Use one of ${quoteList(fields, 30)}.` : `Did you mean '${similar}'?`,
  }
}
