// From zod to the JSON Schema that clients see, and what can be told from one.

import { z } from 'zod'
import type { JsonSchema } from './tool.ts'

/** The JSON Schema of what a zod type accepts, without what only costs tokens. */
export function toInputSchema(type: z.ZodType): JsonSchema {
  // io 'input': a field with a default is not required of the caller.
  const schema = z.toJSONSchema(type, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => dropSafeIntegerBounds(jsonSchema),
  })
  const { $schema, ...printed } = schema
  const rest = withoutRootReference(printed)
  // 2020-12 is what MCP assumes, so the dialect is named only where the author named it.
  const dialect = type.meta()?.$schema
  const isObject = describesObjects(rest, isRecord(rest.$defs) ? rest.$defs : {})
  return {
    ...(dialect === undefined ? {} : { $schema: dialect }),
    ...(isObject ? { type: 'object' } : {}),
    ...rest,
  }
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

// A root with an id is printed as a reference to itself; what it says belongs where everyone looks for it.
function withoutRootReference({ $ref, ...schema }: JsonSchema): JsonSchema {
  const definitions = isRecord(schema.$defs) ? schema.$defs : {}
  const target = typeof $ref === 'string' ? definitions[$ref.replace(/^#\/\$defs\//, '')] : undefined
  return isRecord(target) ? { ...target, ...schema } : $ref === undefined ? schema : { $ref, ...schema }
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
