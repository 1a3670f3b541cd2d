// Decodes arguments that a model sent as a JSON string although the schema asks for an object or an array.

import { isRecord } from './is-record.ts'
import { parseJson } from './parse-json.ts'
import { referenced } from './schema.ts'
import type { JsonSchema } from './tool.ts'

/**
 * Returns the decoded value if the schema asks for an object or an array and the model sent it as a JSON string. Keeps
 * every other value. Keeps a string if the schema allows strings: the text may be meant as it is.
 */
export function decodeStringified(input: unknown, schema: JsonSchema): unknown {
  if (isFlat(input)) return input
  return decodeIn(input, schema, schema, 0)
}

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

function decodeIn(input: unknown, given: JsonSchema, root: JsonSchema, level: number): unknown {
  if (level > MAX_LEVELS) return input
  const schema = behindReferences(given, root)
  const value = typeof input === 'string' ? decodeOne(input, schema, root) : input
  if (Array.isArray(value)) return decodeItems(value, schema, root, level)
  return isRecord(value) ? decodeFields(value, schema, root, level) : value
}

function decodeFields(
  fields: Readonly<Record<string, unknown>>,
  { properties }: JsonSchema,
  root: JsonSchema,
  level: number,
): unknown {
  if (!isRecord(properties)) return fields
  let copy: Record<string, unknown> | undefined
  for (const [key, value] of Object.entries(fields)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!isRecord(property)) continue
    const changed = decodeIn(value, property, root, level + 1)
    if (changed === value) continue
    copy ??= { ...fields }
    copy[key] = changed
  }
  return copy ?? fields
}

function decodeItems(list: readonly unknown[], schema: JsonSchema, root: JsonSchema, level: number): unknown {
  const { items, prefixItems } = schema
  // Draft 7 has the first items as a list in `items`.
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const rest = isRecord(items) ? behindReferences(items, root) : undefined
  if (first.length === 0 && rest === undefined) return list
  let copy: unknown[] | undefined
  for (const [position, item] of list.entries()) {
    const wanted = position < first.length ? first[position] : rest
    if (!isRecord(wanted)) continue
    const changed = decodeIn(item, wanted, root, level + 1)
    if (changed === item) continue
    copy ??= [...list]
    copy[position] = changed
  }
  return copy ?? list
}

function decodeOne(value: string, schema: JsonSchema, root: JsonSchema): unknown {
  const text = value.trim()
  const wanted = text.startsWith('{') ? 'object' : text.startsWith('[') ? 'array' : undefined
  if (wanted === undefined) return value
  const types = typesOf(schema, root)
  if (types.has('string') || !types.has(wanted)) return value
  // If the text is not valid JSON, the validator reports the wrong type.
  return parseJson(text) ?? value
}

/** A reference can lead to itself. */
const MAX_REFERENCES = 8

function behindReferences(given: JsonSchema, root: JsonSchema): JsonSchema {
  let schema = given
  for (let count = 0; count < MAX_REFERENCES; count++) {
    const target = referenced(schema, root)
    if (target === undefined) return schema
    schema = target
  }
  return schema
}

/** The types that a schema allows. Includes `string` if the type is unknown, so that the value is not decoded then. */
function typesOf(given: JsonSchema, root: JsonSchema): ReadonlySet<unknown> {
  const types = new Set<unknown>()
  // Each schema is read once: a union can contain itself, and a small union of unions has millions of branches.
  const schemas = new Set<unknown>([given])
  for (const one of schemas) {
    const schema = isRecord(one) ? behindReferences(one, root) : {}
    const branches = schema.anyOf ?? schema.oneOf
    if (schema.type === undefined && Array.isArray(branches)) for (const branch of branches) schemas.add(branch)
    else for (const type of Array.isArray(schema.type) ? schema.type : [schema.type ?? 'string']) types.add(type)
  }
  return types
}
