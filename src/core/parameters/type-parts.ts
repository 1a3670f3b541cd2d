// The parts of a type as text: values, names and limits.

import { escapeInJson } from '../clean-text.ts'
import type { ArrayForm, NumberForm, ObjectForm, Range, StringForm } from './schema-form.ts'

const MAX_DEPTH = 4
const MAX_ENTRIES = 12

/** `'open'`, `5`, `['a', 'b']`, `{a: 1}`. Undefined for a text over `max` characters, or too many entries or levels. */
export function literalText(value: unknown, max: number, depth = 0): string | undefined {
  const text = writeLiteral(value, max, depth)
  return text === undefined || text.length > max ? undefined : text
}

/** The name of a field, quoted only if it could not be parsed back otherwise. */
export function nameText(name: string): string {
  return /^[\w$@-][\w$@.-]*$/.test(name) ? name : quote(name)
}

function writeLiteral(value: unknown, max: number, depth: number): string | undefined {
  if (typeof value === 'string') return value.length > max ? undefined : quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value)
  if (depth >= MAX_DEPTH || entries.length > MAX_ENTRIES) return undefined
  const parts: string[] = []
  for (const [name, inner] of entries) {
    const text = literalText(inner, max, depth + 1)
    if (text === undefined) return undefined
    parts.push(Array.isArray(value) ? text : `${nameText(name)}: ${text}`)
  }
  return Array.isArray(value) ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`
}

// Single quotes, because the text is sent inside JSON, where each double quote costs an escape.
function quote(text: string): string {
  // A name can contain invisible characters. A caller can see and send them as JSON escapes.
  const inner = escapeInJson(JSON.stringify(text)).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}

const MAX_PATTERN_CHARS = 120

/** Formats that are clearer than the patterns that schema generators write next to them. */
const DESCRIPTIVE_FORMATS = new Set('date-time date time duration email uuid ipv4 ipv6 cidrv4 cidrv6'.split(' '))

export interface Limits {
  /** Starts with a space, or is empty. */
  readonly text: string
  /** Whether the text shows every limit. False if a pattern is replaced by `…`. */
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

/** The pattern in JavaScript notation. Undefined if it is too long, starts with `*` or ends with one backslash. */
function patternText(pattern: string): string | undefined {
  const isExpression = /^(?!\*)(?:[^\\]|\\[\s\S])+$/.test(pattern)
  if (pattern.length > MAX_PATTERN_CHARS || !isExpression) return undefined
  // A line break may have a backslash before it. It means the same without one.
  const oneLine = pattern.replace(/\\?\n|\\.|\//g, (found) => {
    if (found === '/') return '\\/'
    return found.endsWith('\n') ? '\\n' : found
  })
  return `/${oneLine}/`
}

function spaced(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => ` ${part}`)
    .join('')
}
