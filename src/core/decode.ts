// Decodes arguments that a model sent as a JSON string although the schema asks for an object or an array.

import { getOrMake } from './collections.ts'
import { isRecord } from './is-record.ts'
import { parseJson } from './json.ts'
import { referenced } from './schema.ts'
import type { JsonSchema } from './tool.ts'

/**
 * Returns the decoded value if the schema asks for an object or an array and the model sent it as a JSON string. Keeps
 * every other value. Keeps a string if the schema allows strings: the text may be meant as it is.
 */
export function decodeStringified(input: unknown, schema: JsonSchema): unknown {
  if (isFlat(input)) return input
  return decodeIn(input, schema, { root: schema, targets: new Map(), types: new Map(), failures: 0 }, 0)
}

/** The state of one call. A list can have many thousands of items, so each schema is examined once. */
interface Decoding {
  readonly root: JsonSchema
  /** For a schema with a `$ref`: the schema that the reference leads to. */
  readonly targets: Map<JsonSchema, JsonSchema>
  /** The types that a schema allows. */
  readonly types: Map<JsonSchema, ReadonlySet<unknown>>
  /** The number of texts that look like JSON and are not. */
  failures: number
}

/** After this many failures the other texts are kept as they are, so that a long list does not take seconds. */
const MAX_FAILURES = 1_000

/** True for an object without texts that look like JSON, and without nested values. Most arguments are like that. */
function isFlat(input: unknown): boolean {
  if (!isRecord(input)) return false
  for (const key in input) {
    const value = input[key]
    if (typeof value === 'string' ? MAYBE_JSON.test(value) : typeof value === 'object' && value !== null) return false
  }
  return true
}

const MAYBE_JSON = /^\s*[[{]/

/** Values that are nested deeper are kept as they are. */
const MAX_LEVELS = 100

function decodeIn(input: unknown, given: JsonSchema, decoding: Decoding, level: number): unknown {
  if (level > MAX_LEVELS) return input
  const schema = behindReferences(given, decoding)
  const value = typeof input === 'string' ? decodeOne(input, schema, decoding) : input
  if (Array.isArray(value)) return decodeItems(value, schema, decoding, level)
  return isRecord(value) ? decodeFields(value, schema, decoding, level) : value
}

function decodeFields(
  fields: Readonly<Record<string, unknown>>,
  { properties }: JsonSchema,
  decoding: Decoding,
  level: number,
): unknown {
  if (!isRecord(properties)) return fields
  let copy: Record<string, unknown> | undefined
  for (const [key, value] of Object.entries(fields)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!isRecord(property)) continue
    const changed = decodeIn(value, property, decoding, level + 1)
    if (changed === value) continue
    copy ??= { ...fields }
    copy[key] = changed
  }
  return copy ?? fields
}

function decodeItems(list: readonly unknown[], schema: JsonSchema, decoding: Decoding, level: number): unknown {
  const { items, prefixItems } = schema
  // Draft 7 has the first items as a list in `items`.
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const rest = isRecord(items) ? behindReferences(items, decoding) : undefined
  if (first.length === 0 && rest === undefined) return list
  let copy: unknown[] | undefined
  for (const [position, item] of list.entries()) {
    const wanted = position < first.length ? first[position] : rest
    if (!isRecord(wanted)) continue
    const changed = decodeIn(item, wanted, decoding, level + 1)
    if (changed === item) continue
    copy ??= [...list]
    copy[position] = changed
  }
  return copy ?? list
}

function decodeOne(value: string, schema: JsonSchema, decoding: Decoding): unknown {
  const text = value.trim()
  const wanted = text.startsWith('{') ? 'object' : text.startsWith('[') ? 'array' : undefined
  if (wanted === undefined || !text.endsWith(wanted === 'object' ? '}' : ']')) return value
  const types = typesOf(schema, decoding)
  if (types.has('string') || !types.has(wanted) || decoding.failures >= MAX_FAILURES) return value
  const decoded = parseJson(text)
  if (decoded !== undefined) return decoded
  // The validator reports the wrong type.
  decoding.failures += 1
  return value
}

/** A reference can lead to itself. */
const MAX_REFERENCES = 8

function behindReferences(given: JsonSchema, { root, targets }: Decoding): JsonSchema {
  if (given.$ref === undefined) return given
  return getOrMake(targets, given, () => {
    let schema = given
    for (let count = 0; count < MAX_REFERENCES; count++) schema = referenced(schema, root) ?? schema
    return schema
  })
}

/** The types that a schema allows. Includes `string` if the type is unknown, so that the value is not decoded then. */
function typesOf(given: JsonSchema, decoding: Decoding): ReadonlySet<unknown> {
  return getOrMake(decoding.types, given, () => {
    const types = new Set<unknown>()
    // Each schema is read once: a union can contain itself, and a few nested unions can have millions of branches.
    const schemas = new Set<unknown>([given])
    for (const one of schemas) {
      const schema = isRecord(one) ? behindReferences(one, decoding) : {}
      const branches = schema.anyOf ?? schema.oneOf
      if (schema.type === undefined && Array.isArray(branches)) for (const branch of branches) schemas.add(branch)
      else for (const type of Array.isArray(schema.type) ? schema.type : [schema.type ?? 'string']) types.add(type)
    }
    return types
  })
}
