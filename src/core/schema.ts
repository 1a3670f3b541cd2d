// Converts zod types to the JSON Schema that clients see, and finds the targets of references in it.

import { z } from 'zod'
import { isRecord } from './is-record.ts'
import { resolvePointer } from './json-pointer.ts'
import { typeNameOf } from './show-value.ts'
import type { JsonSchema } from './tool.ts'

/** The JSON Schema of the input of a zod type, without parts that only cost tokens. */
export function toInputSchema(type: z.core.$ZodType): JsonSchema {
  // io 'input': a field with a default is optional for the caller.
  const schema = z.toJSONSchema(type, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => dropSafeIntegerBounds(jsonSchema),
  })
  const { $schema, ...printed } = schema
  // MCP assumes 2020-12, so `$schema` is set only if the author set it.
  const dialect = metaOf(type)?.$schema
  return { ...(dialect === undefined ? {} : { $schema: dialect }), ...withObjectType(printed) }
}

/** Adds `type: 'object'` to the root of a schema for objects. MCP requires it, even for a union or a reference. */
export function withObjectType(printed: JsonSchema): JsonSchema {
  const rest = withoutRootReference(printed)
  return { ...(describesObjects(rest, rest) ? { type: 'object' } : {}), ...rest }
}

/** A schema of zod/mini has no `meta()`. */
function metaOf(type: z.core.$ZodType): Readonly<Record<string, unknown>> | undefined {
  return type instanceof z.ZodType ? type.meta() : z.globalRegistry.get(type)
}

/** Accepts any object with all of its fields. z.record drops a field named `__proto__`. */
export const anyObject = z.custom<Readonly<Record<string, unknown>>>(isRecord, {
  error: ({ input }) => `expected record, received ${typeNameOf(input)}`,
})

/** The target of the `$ref` of a schema. Undefined if it has no `$ref`, or if the target is not a schema in `root`. */
export function referenced({ $ref }: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  const target = typeof $ref === 'string' ? resolvePointer($ref, root) : undefined
  return isRecord(target) ? target : undefined
}

// zod prints a root with an id as a reference to its own definition. Clients expect the fields at the root.
function withoutRootReference(schema: JsonSchema): JsonSchema {
  const target = referenced(schema, schema)
  if (target === undefined) return schema
  const { $ref: _resolved, ...rest } = schema
  return { ...target, ...rest }
}

function dropSafeIntegerBounds(schema: { minimum?: unknown; maximum?: unknown }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

// A union of objects, or an object with an id, has no `type`, but MCP requires one.
function describesObjects(schema: JsonSchema, root: JsonSchema, seen: readonly JsonSchema[] = []): boolean {
  if (schema.type === 'object') return true
  const describes = (one: unknown) => isRecord(one) && describesObjects(one, root, [...seen, schema])
  if (schema.$ref !== undefined) {
    const target = referenced(schema, root)
    // A reference to itself describes nothing.
    return target !== undefined && !seen.includes(target) && describes(target)
  }
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf
  return Array.isArray(branches) && branches.length > 0 && branches.every(describes)
}
