// The limits of a string, a number, an array or an object, as text for a type.

import type { ArrayForm, NumberForm, ObjectForm, Range, StringForm } from './schema-form.ts'

const MAX_PATTERN_CHARS = 120

/** Formats that are clearer than the patterns that schema generators write next to them. */
const DESCRIPTIVE_FORMATS = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'uuid',
  'ipv4',
  'ipv6',
  'cidrv4',
  'cidrv6',
])

export interface Limits {
  /** Starts with a space, or is empty. */
  readonly text: string
  readonly isWhole: boolean
}

/** Whether the format makes a pattern next to it redundant. */
export function isDescriptiveFormat(format: string | undefined): boolean {
  return format !== undefined && DESCRIPTIVE_FORMATS.has(format)
}

/** ` date-time`, ` /^[a-z]+$/ 1..64 chars`. */
export function stringLimits({ format, pattern, length }: StringForm): Limits {
  const isNamed = format !== undefined && /^[a-z][\w.:-]{0,31}$/i.test(format)
  const isRedundant = pattern === undefined || pattern === '' || isDescriptiveFormat(format)
  const shown = isRedundant ? '' : patternText(pattern)
  return {
    text: spaced([isNamed ? format : '', shown ?? '/…/', rangeText(length, ' chars')]),
    isWhole: shown !== undefined,
  }
}

/** ` 1..100`, ` >0`, ` >=0 multiple of 5`. */
export function numberLimits({ min, max, above, below, step }: NumberForm): Limits {
  const parts = [
    min !== undefined && max !== undefined ? `${min}..${max}` : '',
    above === undefined ? '' : `>${above}`,
    min === undefined || max !== undefined ? '' : `>=${min}`,
    below === undefined ? '' : `<${below}`,
    max === undefined || min !== undefined ? '' : `<=${max}`,
    step === undefined ? '' : `multiple of ${step}`,
  ]
  return { text: spaced(parts), isWhole: true }
}

/** ` 1..5 items unique`. */
export function arrayLimits({ count, isUnique }: ArrayForm): Limits {
  return { text: spaced([rangeText(count, ' items'), isUnique ? 'unique' : '']), isWhole: true }
}

/** ` >=1 keys`. */
export function objectLimits({ count }: ObjectForm): Limits {
  return { text: spaced([rangeText(count, ' keys')]), isWhole: true }
}

function rangeText({ min = 0, max }: Range, unit: string): string {
  if (max === undefined) return min <= 0 ? '' : `>=${min}${unit}`
  if (min === max) return `${min}${unit}`
  return min <= 0 ? `<=${max}${unit}` : `${min}..${max}${unit}`
}

/**
 * The pattern in JavaScript notation. Undefined if it is too long, or if it is not a regular expression: it starts with
 * `*` or ends with a single backslash.
 */
function patternText(pattern: string): string | undefined {
  const isExpression = /^(?!\*)(?:[^\\]|\\[\s\S])+$/.test(pattern)
  if (pattern.length > MAX_PATTERN_CHARS || !isExpression) return undefined
  const oneLine = pattern.replaceAll('\n', '\\n')
  return `/${oneLine.replace(/\\.|\//g, (found) => (found === '/' ? '\\/' : found))}/`
}

function spaced(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => ` ${part}`)
    .join('')
}
