// Resolves references and combinations of a JSON Schema into a list of plain schemas. A value must fit one of them.

import { isRecord } from '../is-record.ts'
import { resolvePointer } from '../json.ts'
import type { JsonSchema } from '../tool.ts'

interface Branches {
  /** Without `$ref`, `allOf`, `anyOf` and `oneOf` at the top level. Empty if no value can fit. */
  readonly plain: readonly JsonSchema[]
  /** Whether these say everything that the schema says. */
  readonly isWhole: boolean
}

/** The document, and how many more of its schemas may be read: a small document can cause endless work. */
export interface SchemaWalk {
  readonly root: unknown
  stepsLeft: number
}

const MAX_BRANCHES = 64
const MAX_DEPTH = 16
const ANYTHING: Branches = { plain: [{}], isWhole: true }
const UNKNOWN: Branches = { plain: [{}], isWhole: false }

export function branchesOf(schema: unknown, walk: SchemaWalk, depth = 0): Branches {
  if (schema === false) return { plain: [], isWhole: true }
  if (!isRecord(schema)) return ANYTHING
  // The depth limit also ends a reference that only leads to itself.
  if (depth > MAX_DEPTH || walk.stepsLeft-- <= 0) return UNKNOWN
  if (!isCombined(schema)) return { plain: [schema], isWhole: true }
  const { $ref, allOf, anyOf, oneOf, ...own } = schema
  let branches: Branches = { plain: [own], isWhole: true }
  const add = (inner: Branches) => {
    branches = intersect(inner, branches, walk)
  }
  if (typeof $ref === 'string') {
    const target = resolvePointer($ref, walk.root)
    add(target === undefined ? UNKNOWN : branchesOf(target, walk, depth + 1))
  }
  for (const part of Array.isArray(allOf) ? allOf : []) add(branchesOf(part, walk, depth + 1))
  for (const choice of [anyOf, oneOf]) {
    if (Array.isArray(choice)) add(unite(choice, walk, depth + 1))
  }
  return branches
}

function isCombined({ $ref, allOf, anyOf, oneOf }: JsonSchema): boolean {
  return $ref !== undefined || allOf !== undefined || anyOf !== undefined || oneOf !== undefined
}

/** Follows a single `$ref` or a combination of one entry, so that each use of a definition gives the same object. */
export function behindAlias(schema: unknown, root: unknown): unknown {
  let at = schema
  for (let step = 0; step < MAX_DEPTH; step++) {
    const next = aliasTarget(at, root)
    if (next === undefined) return at
    at = next
  }
  return at
}

/** The keywords that an alias may have besides its `$ref` or its combination. */
const IGNORED_IN_ALIAS = new Set(['description', 'title', 'default', 'examples', 'example', 'deprecated', '$comment'])
const COMBINATIONS = new Set(['allOf', 'anyOf', 'oneOf'])

function aliasTarget(schema: unknown, root: unknown): unknown {
  if (!isRecord(schema) || !isCombined(schema)) return undefined
  const keywords = Object.keys(schema).filter((keyword) => !IGNORED_IN_ALIAS.has(keyword))
  const [keyword] = keywords
  if (keywords.length !== 1 || keyword === undefined) return undefined
  const value = schema[keyword]
  if (keyword === '$ref') return typeof value === 'string' ? resolvePointer(value, root) : undefined
  return COMBINATIONS.has(keyword) && Array.isArray(value) && value.length === 1 ? value[0] : undefined
}

/** The branches of a union: those of each choice. */
function unite(choices: readonly unknown[], walk: SchemaWalk, depth: number): Branches {
  const plain: JsonSchema[] = []
  let isWhole = true
  for (const choice of choices) {
    if (plain.length >= MAX_BRANCHES) return { plain, isWhole: false }
    const inner = branchesOf(choice, walk, depth)
    plain.push(...inner.plain)
    isWhole &&= inner.isWhole
  }
  return { plain, isWhole }
}

/** The branches of two schemas that must both hold: each pair of branches is merged. */
function intersect(inner: Branches, outer: Branches, walk: SchemaWalk): Branches {
  const plain: JsonSchema[] = []
  let isWhole = inner.isWhole && outer.isWhole
  for (const a of outer.plain) {
    for (const b of inner.plain) {
      walk.stepsLeft -= weightOf(a) + weightOf(b)
      if (walk.stepsLeft <= 0) return plain.length === 0 ? UNKNOWN : { plain, isWhole: false }
      if (plain.length >= MAX_BRANCHES) return { plain, isWhole: false }
      const merged = mergeSchemas(b, a)
      if (merged === undefined) continue
      plain.push(merged.schema)
      isWhole &&= merged.isWhole
    }
  }
  return { plain, isWhole }
}

/** Merging thousands of fields is more work than reading one schema. */
function weightOf({ properties }: JsonSchema): number {
  return 1 + (isRecord(properties) ? Object.keys(properties).length / 16 : 0)
}

interface MergedSchema {
  readonly schema: JsonSchema
  /** Whether the merged schema says everything that the two say together. */
  readonly isWhole: boolean
}

/**
 * Merges two schemas. Undefined if they have no type or no `enum` value in common. If two values of a keyword cannot be
 * combined, the value of `outer` is kept.
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
  ['required', (a, b) => [...new Set([...toList(a), ...toList(b)])]],
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
  const [left, right] = [toList(a), toList(b)]
  const isIn = (type: unknown, types: readonly unknown[]) =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const common = new Set([...left.filter((type) => isIn(type, right)), ...right.filter((type) => isIn(type, left))])
  return common.size === 0 ? IMPOSSIBLE : [...common]
}

function commonValues(a: unknown, b: unknown): unknown {
  const allowed = new Set(toList(b))
  // Equal objects are not recognized here, so all are kept: a list that is too long is safer than one too short.
  const isKept = (value: unknown) => allowed.has(value) || (typeof value === 'object' && value !== null)
  const common = toList(a).filter(isKept)
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

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
