// Merges two JSON Schemas that must both hold into one.

import { isRecord } from '../is-record.ts'
import type { JsonSchema } from '../tool.ts'

interface MergedSchema {
  readonly schema: JsonSchema
  /** Whether the merged schema says everything that the two say together. */
  readonly isWhole: boolean
}

/**
 * The schema of the values that both allow. Undefined if they have no type or no listed value in common. If only one of
 * two keywords can be kept, `outer` wins.
 */
export function mergeSchemas(inner: JsonSchema, outer: JsonSchema): MergedSchema | undefined {
  const merged = new Map<string, unknown>(Object.entries(constAsEnum(inner)))
  let isWhole = true
  for (const [keyword, value] of Object.entries(constAsEnum(outer))) {
    const other = merged.get(keyword)
    const combine = COMBINE.get(keyword)
    const result = other === undefined || combine === undefined ? value : combine(other, value)
    if (result === IMPOSSIBLE) return undefined
    isWhole &&= other === undefined || combine !== undefined || other === value || ANNOTATION_KEYWORDS.has(keyword)
    merged.set(keyword, result)
  }
  return { schema: Object.fromEntries(merged), isWhole }
}

/** Turns a `const` into an `enum` with one value. */
function constAsEnum(schema: JsonSchema): JsonSchema {
  if (!Object.hasOwn(schema, 'const')) return schema
  const { const: value, ...rest } = schema
  return { ...rest, enum: [value] }
}

/** Keywords that do not restrict the values. */
const ANNOTATION_KEYWORDS = new Set([
  ...['title', 'description', 'default', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$schema', '$id', '$comment', '$defs', 'definitions', '$anchor'],
])

type Combine = (a: unknown, b: unknown) => unknown

const IMPOSSIBLE = Symbol('impossible')

const larger: Combine = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : b)
const smaller: Combine = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.min(a, b) : b)
const both: Combine = (a, b) => (a === b ? a : { allOf: [a, b] })

const COMBINE: ReadonlyMap<string, Combine> = new Map<string, Combine>([
  ['type', commonTypes],
  ['enum', commonValues],
  ['properties', joinFields],
  ['patternProperties', joinFields],
  ['required', (a, b) => [...new Set([...listOf(a), ...listOf(b)])]],
  ['additionalProperties', bothAdditional],
  ['items', both],
  ['propertyNames', both],
  ['minimum', larger],
  ['exclusiveMinimum', larger],
  ['minLength', larger],
  ['minItems', larger],
  ['minProperties', larger],
  ['maximum', smaller],
  ['exclusiveMaximum', smaller],
  ['maxLength', smaller],
  ['maxItems', smaller],
  ['maxProperties', smaller],
  ['uniqueItems', (a, b) => a === true || b === true],
])

function bothAdditional(a: unknown, b: unknown): unknown {
  if (a === false || b === false) return false
  if (a === true) return b
  return b === true ? a : both(a, b)
}

function commonTypes(a: unknown, b: unknown): unknown {
  const [left, right] = [listOf(a), listOf(b)]
  const isIn = (type: unknown, types: readonly unknown[]) =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const common = new Set([...left.filter((type) => isIn(type, right)), ...right.filter((type) => isIn(type, left))])
  return common.size === 0 ? IMPOSSIBLE : [...common]
}

function commonValues(a: unknown, b: unknown): unknown {
  const allowed = new Set(listOf(b))
  // Objects with equal content are not recognized as equal here, so they are kept: a list that is too long is safer
  // than one that is too short.
  const isKept = (value: unknown) => allowed.has(value) || (typeof value === 'object' && value !== null)
  const common = listOf(a).filter(isKept)
  return common.length === 0 ? IMPOSSIBLE : common
}

function joinFields(a: unknown, b: unknown): unknown {
  if (!isRecord(a) || !isRecord(b)) return isRecord(b) ? b : a
  const fields = new Map(Object.entries(a))
  for (const [name, schema] of Object.entries(b)) {
    const other = fields.get(name)
    fields.set(name, other === undefined ? schema : both(other, schema))
  }
  return Object.fromEntries(fields)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
