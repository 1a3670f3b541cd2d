// Schemas: from zod to the JSON Schema that clients see, and from bad input to words.

import { z } from 'zod'
import { cutLongText } from './text.ts'
import type { JsonSchema, Validation, ValidationIssue } from './tool.ts'

/** The JSON Schema of what a zod type accepts, without what only costs tokens. */
export function toInputSchema(type: z.ZodType): JsonSchema {
  // io 'input': a field with a default is not required of the caller.
  const schema = z.toJSONSchema(type, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => dropSafeIntegerBounds(jsonSchema),
  })
  const { $schema, ...rest } = schema
  // 2020-12 is what MCP assumes, so the dialect is named only where the author named it.
  const dialect = type.meta()?.$schema
  const isObject = rest.type === 'object' || describesObjects(rest)
  return {
    ...(dialect === undefined ? {} : { $schema: dialect }),
    ...(isObject ? { type: 'object' } : {}),
    ...rest,
  }
}

export function validateWith(type: z.ZodType, input: unknown): Validation {
  const parsed = type.safeParse(input)
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, issues: issuesOf(parsed.error.issues, input) }
}

/** Zod's findings in words that name the field. */
export function issuesOf(issues: readonly z.core.$ZodIssue[], input: unknown): ValidationIssue[] {
  return issues.flatMap((issue): ValidationIssue[] => {
    const path = pathText(issue.path)
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => {
        const full = pathText([...issue.path, key])
        return { path: full, message: `Unknown field '${full}'` }
      })
    }
    if (issue.code === 'invalid_type' && path !== '' && isMissing(input, issue.path)) {
      return [{ path, message: `Required field '${path}' is missing` }]
    }
    if (issue.code === 'invalid_union') {
      const best = closestBranch(issue.errors)
      if (best !== undefined)
        return issuesOf(
          best.map((one) => ({ ...one, path: [...issue.path, ...one.path] })),
          input,
        )
    }
    const said = cutLongText(issue.message.replace(/^Invalid input: /, ''), 300)
    return [{ path, message: path === '' ? `Input: ${said}` : `Field '${path}': ${said}` }]
  })
}

/**
 * Where the schema wants an object or an array and a model sent it as a JSON string, the decoded value; everything
 * else stays as it was. Never guesses: a string that the schema allows is kept.
 */
export function decodeStringified(input: unknown, schema: JsonSchema): unknown {
  const decoded = decodeOne(input, schema)
  const properties = schema.properties
  if (!isRecord(decoded) || !isRecord(properties)) return decoded
  let copy: Record<string, unknown> | undefined
  for (const [key, value] of Object.entries(decoded)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!isRecord(property)) continue
    const changed = decodeStringified(value, property)
    if (changed === value) continue
    copy ??= { ...decoded }
    copy[key] = changed
  }
  return copy ?? decoded
}

/** `create-order(customerId, items[], note?)`: required first, so that a model can often call without the schema. */
export function signature(name: string, schema: JsonSchema): string {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const keys = Object.keys(properties)
  const ordered = [...keys.filter((key) => required.has(key)), ...keys.filter((key) => !required.has(key))]
  return `${name}(${ordered.map((key) => (required.has(key) ? key : `${key}?`)).join(', ')})`
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function decodeOne(value: unknown, schema: JsonSchema): unknown {
  if (typeof value !== 'string') return value
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  if (types.includes('string')) return value
  const wantsObject = types.includes('object')
  const wantsArray = types.includes('array')
  const text = value.trim()
  if (!(wantsObject && text.startsWith('{')) && !(wantsArray && text.startsWith('['))) return value
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON after all: the validator says so in its own words.
    return value
  }
}

function dropSafeIntegerBounds(schema: { minimum?: unknown; maximum?: unknown }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

// A union of objects has no `type` of its own, and MCP demands one.
function describesObjects(schema: JsonSchema): boolean {
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf
  return (
    Array.isArray(branches) &&
    branches.length > 0 &&
    branches.every((branch) => isRecord(branch) && (branch.type === 'object' || describesObjects(branch)))
  )
}

function closestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  // A branch that failed deeper down matched more of the input than one that failed at its root.
  const deep = branches.filter((branch) => branch.some((issue) => issue.path.length > 0))
  return deep.length === 1 ? deep[0] : undefined
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('')
}

function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true
    value = (value as Record<PropertyKey, unknown>)[key] // hasOwn was just checked
  }
  return value === undefined
}
