// The forms that a JSON Schema without references and combinations allows for a value, one level deep.

import { isRecord } from '../is-record.ts'
import type { JsonSchema } from '../tool.ts'

export interface Field {
  readonly name: string
  /** The schema of the field as it is written. It is not checked. */
  readonly schema: unknown
  readonly isRequired: boolean
}

export interface Range {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

export interface NumberForm extends Range {
  readonly kind: 'integer' | 'number'
  /** The exclusive limits. */
  readonly above?: number | undefined
  readonly below?: number | undefined
  /** The value is a multiple of this. */
  readonly step?: number | undefined
}

export interface StringForm {
  readonly kind: 'string'
  readonly format?: string | undefined
  readonly pattern?: string | undefined
  readonly length: Range
}

export interface ArrayForm {
  readonly kind: 'array'
  /** The schemas of the first items, one each. */
  readonly first: readonly unknown[]
  /** The schema of all further items; false if no further items are allowed. */
  readonly rest: unknown
  readonly count: Range
  readonly isUnique: boolean
}

/** The schemas of the names and the values of fields that are not listed by name. */
export interface OtherFields {
  readonly key: unknown
  readonly value: unknown
}

export interface ObjectForm {
  readonly kind: 'object'
  readonly fields: readonly Field[]
  readonly others: readonly OtherFields[]
  /** Whether undeclared fields are accepted. */
  readonly isOpen: boolean
  readonly count: Range
}

export type Form =
  | { readonly kind: 'any' | 'null' | 'boolean' }
  | { readonly kind: 'literal'; readonly value: unknown }
  | NumberForm
  | StringForm
  | ArrayForm
  | ObjectForm

export function isNull(form: Form): boolean {
  return form.kind === 'null' || (form.kind === 'literal' && form.value === null)
}

const MAX_NAME_CHARS = 256

/** Expects a schema without references and combinations. */
export function formsOfPlain(schema: JsonSchema): readonly Form[] {
  const types = typesOf(schema)
  const values = Object.hasOwn(schema, 'const') ? [schema.const] : schema.enum
  // An empty list is a mistake of the author, because no value could fit. It is ignored.
  if (Array.isArray(values) && values.length > 0) {
    const isFitting = (value: unknown) => types.length === 0 || types.some((type) => isOfType(value, type))
    return values.filter(isFitting).map((value) => ({ kind: 'literal', value }))
  }
  // `number` includes `integer`, so six types are all types.
  if (types.length === 0 || types.length >= 6) return [{ kind: 'any' }]
  return types.map((type) => formOf(type, schema))
}

type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object'

function formOf(type: TypeName, schema: JsonSchema): Form {
  switch (type) {
    case 'string':
      return {
        kind: 'string',
        format: typeof schema.format === 'string' ? schema.format : undefined,
        pattern: typeof schema.pattern === 'string' ? schema.pattern : undefined,
        length: rangeOf(schema.minLength, schema.maxLength),
      }
    case 'integer':
    case 'number':
      return { kind: type, ...limitsOf(schema) }
    case 'array':
      return arrayForm(schema)
    case 'object':
      return objectForm(schema)
    default:
      return { kind: type }
  }
}

function limitsOf(schema: JsonSchema): Omit<NumberForm, 'kind'> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const { min, max } = rangeOf(minimum, maximum)
  // Draft 4 has `exclusiveMinimum: true` next to `minimum`.
  const above = exclusiveMinimum === true ? min : numberIn(exclusiveMinimum)
  const below = exclusiveMaximum === true ? max : numberIn(exclusiveMaximum)
  const step = numberIn(multipleOf)
  // Keeps only the stricter one of a limit and its exclusive form.
  return {
    ...(above !== undefined && (min === undefined || above >= min) ? { above } : { min }),
    ...(below !== undefined && (max === undefined || below <= max) ? { below } : { max }),
    step: step !== undefined && step > 0 ? step : undefined,
  }
}

function arrayForm(schema: JsonSchema): ArrayForm {
  const { items, prefixItems, additionalItems } = schema
  // Draft 7 has the first items as a list in `items`.
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const rest = Array.isArray(items) ? additionalItems : items
  const count = rangeOf(schema.minItems, schema.maxItems)
  return { kind: 'array', first, rest: rest ?? true, count, isUnique: schema.uniqueItems === true }
}

function objectForm(schema: JsonSchema): ObjectForm {
  const { additionalProperties, propertyNames, patternProperties } = schema
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const names: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const required = new Set(names.filter((name) => typeof name === 'string'))
  const undeclared = isRecord(additionalProperties) ? additionalProperties : true
  const fields = [
    ...Object.entries(properties).map(([name, of]) => ({ name, schema: of, isRequired: required.has(name) })),
    ...[...required]
      .filter((name) => !Object.hasOwn(properties, name))
      .map((name) => ({ name, schema: undeclared, isRequired: true })),
  ]
  const patterns = isRecord(patternProperties) ? Object.entries(patternProperties) : []
  const others: OtherFields[] = patterns.map(([pattern, value]) => ({ key: { type: 'string', pattern }, value }))
  if (isRecord(additionalProperties) || (propertyNames !== undefined && additionalProperties !== false)) {
    others.push({ key: propertyNames ?? true, value: undeclared })
  }
  return {
    kind: 'object',
    fields: fields.filter(isSendable),
    others,
    isOpen: additionalProperties !== false,
    count: rangeOf(schema.minProperties, schema.maxProperties),
  }
}

// An optional field with the schema `false` must not be sent. A name that exceeds the limit is probably an attack.
function isSendable({ name, schema, isRequired }: Field): boolean {
  return (schema !== false || isRequired) && name.length <= MAX_NAME_CHARS
}

function typesOf(schema: JsonSchema): readonly TypeName[] {
  const { type, nullable } = schema
  const named = (Array.isArray(type) ? type : [type]).filter(isTypeName)
  const declared = named.includes('number') ? named.filter((name) => name !== 'integer') : named
  if (declared.length === 0) {
    const hinted = HINTS.find(([, keywords]) => keywords.some((keyword) => Object.hasOwn(schema, keyword)))
    return hinted === undefined ? [] : [hinted[0]]
  }
  return nullable === true && !declared.includes('null') ? [...declared, 'null'] : declared
}

/** Keywords that imply a type, for schemas without a `type`. */
const HINTS: readonly (readonly [TypeName, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems']],
  ['string', ['pattern', 'format', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

const TYPE_NAMES: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'])

function isTypeName(value: unknown): value is TypeName {
  return TYPE_NAMES.has(value)
}

export function isOfType(value: unknown, type: TypeName): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function rangeOf(min: unknown, max: unknown): Range {
  return { min: numberIn(min), max: numberIn(max) }
}

/** Schema generators write the bounds of 32-bit integers, authors do not. These bounds are left out. */
const MACHINE_BOUNDS = new Set([2 ** 31, 2 ** 31 - 1, 2 ** 32 - 1])

function numberIn(value: unknown): number | undefined {
  if (typeof value !== 'number' || Math.abs(value) >= Number.MAX_SAFE_INTEGER) return undefined
  return MACHINE_BOUNDS.has(Math.abs(value)) ? undefined : value
}
