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
  const isObject = describesObjects(rest, isRecord(rest.$defs) ? rest.$defs : {})
  return {
    ...(dialect === undefined ? {} : { $schema: dialect }),
    ...(isObject ? { type: 'object' } : {}),
    ...rest,
  }
}

export function validateWith(type: z.ZodType, input: unknown): Validation {
  try {
    return toValidation(type.safeParse(input), input)
  } catch (error) {
    // Only a recursive schema on hostile input goes that deep.
    if (error instanceof RangeError) return { ok: false, issues: [{ path: '', message: 'Input: nested too deeply' }] }
    throw error
  }
}

/** Also for schemas that wait (an asynchronous refinement), and only for those does it wait itself. */
export function validateMaybeAsync(type: z.ZodType, input: unknown): Validation | Promise<Validation> {
  try {
    return validateWith(type, input)
  } catch (error) {
    if (!(error instanceof z.core.$ZodAsyncError)) throw error
    return type.safeParseAsync(input).then((parsed) => toValidation(parsed, input))
  }
}

function toValidation(parsed: z.ZodSafeParseResult<unknown>, input: unknown): Validation {
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
    if (path !== '' && isMissing(input, issue.path)) {
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
  const show = (key: string) => `${key}${isArraySchema(properties[key]) ? '[]' : ''}${required.has(key) ? '' : '?'}`
  return `${name}(${ordered.map(show).join(', ')})`
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

// A union of objects, or an object named by an id, has no `type` of its own, and MCP demands one.
function describesObjects(schema: JsonSchema, definitions: Readonly<Record<string, unknown>>): boolean {
  if (schema.type === 'object') return true
  const target = typeof schema.$ref === 'string' ? schema.$ref.replace(/^#\/\$defs\//, '') : undefined
  if (target !== undefined) {
    const definition = definitions[target]
    const { [target]: _seen, ...others } = definitions
    return isRecord(definition) && describesObjects(definition, others)
  }
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf
  return (
    Array.isArray(branches) &&
    branches.length > 0 &&
    branches.every((branch) => isRecord(branch) && describesObjects(branch, definitions))
  )
}

function isArraySchema(schema: unknown): boolean {
  return isRecord(schema) && schema.type === 'array'
}

/** The one branch of a union that the input was meant for: the others did not even have its type. */
function closestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const near = branches.filter(
    (branch) => !branch.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type'),
  )
  return near.length === 1 ? near[0] : undefined
}

function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key, index) =>
    typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${cutLongText(String(key), 80)}`,
  )
  return cutLongText(parts.join(''), 200)
}

function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true
    value = (value as Record<PropertyKey, unknown>)[key] // hasOwn was just checked
  }
  return value === undefined
}
