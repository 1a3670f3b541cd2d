// Decodes arguments that a model sent as a JSON string although the schema asks for an object or an array.

import { isRecord } from './is-record.ts'
import { type Definitions, definitionsOf, referenced } from './schema.ts'
import type { JsonSchema } from './tool.ts'

/**
 * Returns the decoded value if the schema asks for an object or an array and the model sent it as a JSON string. Keeps
 * every other value. Keeps a string if the schema allows strings: the text may be meant as it is.
 */
export function decodeStringified(input: unknown, schema: JsonSchema): unknown {
  if (isFlat(input)) return input
  return decodeIn(input, schema, definitionsOf(schema))
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

function decodeIn(input: unknown, given: JsonSchema, definitions: Definitions): unknown {
  const schema = referenced(given, definitions) ?? given
  const decoded = typeof input === 'string' ? decodeOne(input, schema, definitions) : input
  const { properties } = schema
  if (!isRecord(decoded) || !isRecord(properties)) return decoded
  let copy: Record<string, unknown> | undefined
  for (const [key, value] of Object.entries(decoded)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!isRecord(property)) continue
    const changed = decodeIn(value, property, definitions)
    if (changed === value) continue
    copy ??= { ...decoded }
    copy[key] = changed
  }
  return copy ?? decoded
}

function decodeOne(value: string, schema: JsonSchema, definitions: Definitions): unknown {
  const text = value.trim()
  const wanted = text.startsWith('{') ? 'object' : text.startsWith('[') ? 'array' : undefined
  if (wanted === undefined) return value
  const types = typesOf(schema, definitions)
  if (types.has('string') || !types.has(wanted)) return value
  try {
    return JSON.parse(text)
  } catch {
    // The text is not valid JSON. The validator reports the wrong type.
    return value
  }
}

/** A reference can lead to itself. From this depth on, the type counts as unknown. */
const MAX_DEPTH = 8

/** The types that a schema allows. Includes `string` if the type is unknown, so that the value is not decoded then. */
function typesOf(given: JsonSchema, definitions: Definitions, depth = 0): ReadonlySet<unknown> {
  const schema = referenced(given, definitions) ?? given
  if (schema.type !== undefined) return new Set(Array.isArray(schema.type) ? schema.type : [schema.type])
  const branches = schema.anyOf ?? schema.oneOf
  if (!Array.isArray(branches) || depth > MAX_DEPTH) return new Set(['string'])
  return new Set(
    branches.flatMap((branch) => (isRecord(branch) ? [...typesOf(branch, definitions, depth + 1)] : ['string'])),
  )
}
