// Reads one level of a JSON Schema into a shape that a form or a table of parameters can show.

import { decodePercent } from '../decode-percent.ts'
import { isRecord, type JsonObject } from '../is-record.ts'

export interface Property {
  readonly name: string
  readonly schema: unknown
  readonly isRequired: boolean
}

export type SchemaShape =
  | { readonly kind: 'string'; readonly format: string | undefined }
  | { readonly kind: 'number'; readonly isInteger: boolean; readonly min?: number; readonly max?: number }
  | { readonly kind: 'boolean' }
  /** `names`: the texts of the options in a form, if they differ from the values. */
  | { readonly kind: 'choice'; readonly values: readonly unknown[]; readonly names?: readonly unknown[] }
  | { readonly kind: 'array'; readonly items: unknown }
  | { readonly kind: 'object'; readonly properties: readonly Property[] }
  | { readonly kind: 'variants'; readonly variants: readonly unknown[] }
  /** Anything else: it can only be written as JSON. */
  | { readonly kind: 'json' }

// A schema may refer to itself, so each walk through it has a bound.

/** The maximum number of references, and of lists with a single variant, that are followed in a row. */
const MAX_REFERENCES = 20
/** The most lists of `allOf` that are merged into one schema. */
const MAX_ALL_OF = 100
/** The maximum depth of lists and variants in the text of a type, and the maximum number of variants in one list. */
const MAX_TYPE_DEPTH = 3
const MAX_TYPES = 8

/** `followed`: the number of single variants that were followed so far. */
export function shapeOf(given: unknown, root: unknown, followed = 0): SchemaShape {
  const schema = resolve(given, root)
  if (Object.hasOwn(schema, 'const')) return { kind: 'choice', values: [schema.const] }
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? { names: schema.enumNames } : {}
    return { kind: 'choice', values: schema.enum, ...names }
  }
  const variants = variantsOf(schema, root, followed)
  if (variants !== undefined) return variants
  const types = typesOf(schema)
  if (types.length !== 1) return { kind: 'json' }
  switch (types[0]) {
    case 'string':
      return { kind: 'string', format: typeof schema.format === 'string' ? schema.format : undefined }
    case 'integer':
    case 'number':
      return {
        kind: 'number',
        isInteger: types[0] === 'integer',
        ...(typeof schema.minimum === 'number' ? { min: schema.minimum } : {}),
        ...(typeof schema.maximum === 'number' ? { max: schema.maximum } : {}),
      }
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      return isRecord(schema.items) ? { kind: 'array', items: schema.items } : { kind: 'json' }
    case 'object':
      return objectOf(schema)
    default:
      return { kind: 'json' }
  }
}

/** The schema without its reference, merged with the parts of `allOf`. `merged`: the lists of `allOf` merged so far. */
export function resolve(given: unknown, root: unknown, merged = new Set<unknown>()): JsonObject {
  let schema: unknown = given
  for (let step = 0; step < MAX_REFERENCES && isRecord(schema) && typeof schema.$ref === 'string'; step++) {
    const { $ref, ...beside } = schema
    const target = followPointer(root, $ref as string) // the loop condition checked it
    schema = isRecord(target) ? { ...target, ...beside } : beside
  }
  if (!isRecord(schema)) return {}
  if (!Array.isArray(schema.allOf)) return schema
  const { allOf, ...rest } = schema
  if (merged.has(allOf) || merged.size >= MAX_ALL_OF) return rest
  merged.add(allOf)
  return [...allOf.map((part) => resolve(part, root, merged)), rest].reduce<JsonObject>(merge, {})
}

/** Merges two schemas. Fields of `other` replace those of `one`, but properties and required names are combined. */
function merge(one: JsonObject, other: JsonObject): JsonObject {
  const properties =
    isRecord(one.properties) && isRecord(other.properties)
      ? { properties: { ...one.properties, ...other.properties } }
      : {}
  const required =
    Array.isArray(one.required) && Array.isArray(other.required)
      ? { required: [...one.required, ...other.required] }
      : {}
  return { ...one, ...other, ...properties, ...required }
}

function followPointer(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  return reference
    .slice(2)
    .split('/')
    .map((key) => decodePercent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => {
      if (Array.isArray(value)) return value[Number(key)]
      return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
    }, root)
}

function variantsOf(schema: JsonObject, root: unknown, followed: number): SchemaShape | undefined {
  const listed = [schema.oneOf, schema.anyOf].find(Array.isArray)
  if (!Array.isArray(listed)) return undefined
  // The title and the description are those of the whole value. A variant may have its own.
  const { oneOf: _one, anyOf: _any, title: _title, description: _description, ...rest } = schema
  const own = listed.map((variant: unknown) => resolve(variant, root)).filter((variant) => variant.type !== 'null')
  const variants = own.map((variant) => merge(rest, variant))
  const [first] = variants
  if (first === undefined) return undefined
  if (variants.length === 1) return followed < MAX_REFERENCES ? shapeOf(first, root, followed + 1) : { kind: 'json' }
  // Several constants are a choice. Their titles, if they have any, are the texts of the options.
  if (own.every((variant) => Object.hasOwn(variant, 'const')))
    return { kind: 'choice', values: own.map((one) => one.const), names: own.map(({ title }) => title) }
  return { kind: 'variants', variants }
}

/** The names in `type`, without `null`. */
export function typesOf(schema: JsonObject): readonly string[] {
  const listed = Array.isArray(schema.type) ? schema.type : [schema.type]
  const types = listed.filter((type): type is string => typeof type === 'string' && type !== 'null')
  return types.length === 0 && isRecord(schema.properties) ? ['object'] : types
}

function objectOf(schema: JsonObject): SchemaShape {
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : []
  return {
    kind: 'object',
    properties: properties.map(([name, property]) => ({ name, schema: property, isRequired: required.includes(name) })),
  }
}

/** True if an object may have fields that its schema does not name. Only an explicit permission counts. */
export function allowsOtherFields(given: unknown, root: unknown): boolean {
  const { additionalProperties, patternProperties } = resolve(given, root)
  return additionalProperties === true || isRecord(additionalProperties) || isRecord(patternProperties)
}

/** The type of a value, for example `string`, `list of integer`, `"red" | "blue"` or `string or number`. */
export function typeText(given: unknown, root: unknown, depth = 0): string {
  if (depth > MAX_TYPE_DEPTH) return '…'
  const shape = shapeOf(given, root)
  switch (shape.kind) {
    case 'number':
      return shape.isInteger ? 'integer' : 'number'
    case 'string':
      return shape.format === undefined ? 'string' : `string (${shape.format})`
    case 'choice':
      return shape.values.map((value) => JSON.stringify(value)).join(' | ')
    case 'array':
      return `list of ${typeText(shape.items, root, depth + 1)}`
    case 'variants': {
      const texts = shape.variants.slice(0, MAX_TYPES).map((variant) => typeText(variant, root, depth + 1))
      return [...texts, ...(shape.variants.length > MAX_TYPES ? ['…'] : [])].join(' or ')
    }
    case 'json': {
      const types = typesOf(resolve(given, root))
      return types.length === 0 ? 'any' : types.join(' or ')
    }
    default:
      return shape.kind
  }
}

/** The fields that a form for an object starts with. */
export function initialFields(schema: unknown): JsonObject {
  const value = initialValue(schema, schema)
  return isRecord(value) ? value : {}
}

/** The value that a control starts with: the defaults and constants of the schema. */
export function initialValue(given: unknown, root: unknown, depth = 0): unknown {
  const schema = resolve(given, root)
  if (Object.hasOwn(schema, 'default')) return schema.default
  if (Object.hasOwn(schema, 'const')) return schema.const
  const shape = shapeOf(schema, root)
  if (shape.kind !== 'object' || depth > 4) return undefined
  const fields = shape.properties
    .filter(({ isRequired, schema: property }) => isRequired || Object.hasOwn(resolve(property, root), 'default'))
    .map(({ name, schema: property }) => [name, initialValue(property, root, depth + 1)] as const)
    .filter(([, value]) => value !== undefined)
  return depth === 0 || fields.length > 0 ? Object.fromEntries(fields) : undefined
}

/** The value of a new list item: its default, or an empty value of its type. */
export function initialItem(items: unknown, root: unknown): unknown {
  const empty: Readonly<Record<string, unknown>> = {
    string: '',
    number: 0,
    integer: 0,
    boolean: false,
    list: [],
    array: [],
    object: {},
  }
  return initialValue(items, root) ?? empty[typeText(items, root).split(' ')[0] ?? ''] ?? null
}
