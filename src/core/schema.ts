// Converts zod types to the JSON Schema that clients see, and finds parts of them that JSON cannot represent.

import { z } from 'zod'
import { isRecord } from './is-record.ts'
import { listOf, resolvePointer } from './json.ts'
import { typeNameOf } from './text.ts'
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

/** Accepts any object and keeps all of its fields. `z.record` would drop a field named `__proto__`. */
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

interface NotJson {
  /** `order.items[].price`; empty for the whole input. */
  readonly path: string
  /** The zod type: `bigint`, `set`, `date` and so on. */
  readonly type: string
  /** The replacement to suggest. */
  readonly instead: string
}

/** The key is the `type` in zod's definition. */
const INSTEAD: Readonly<Record<string, string>> = {
  bigint: 'z.coerce.bigint(), which also accepts a number or a string',
  date: 'z.iso.datetime() for a string, or z.coerce.date()',
  set: 'z.array(…).transform((items) => new Set(items))',
  map: 'z.record(z.string(), …).transform((fields) => new Map(Object.entries(fields)))',
  symbol: 'z.string()',
  nan: 'z.number()',
  file: 'z.string() for the path or the base64 content',
  function: 'z.string() or z.enum([…]) for the name of the action',
  promise: 'the type of the value itself',
}

export function findNotJson(type: z.core.$ZodType): NotJson | undefined {
  const found: Found = new Map()
  for (;;) {
    const before = found.size
    const first = search(type, found, new Set())
    // A type that refers to itself counts as JSON until something is found in it, so its users are searched again.
    if (first !== undefined || found.size === before) {
      return first === undefined ? undefined : { ...first, path: first.path.replace(/^\./, '') }
    }
  }
}

/** The result for each type in which something was found. Its path starts at that type: `.items[].price`. */
type Found = Map<unknown, NotJson>

/** Searches each type once. `visited` also ends the recursion of a type that refers to itself. */
function search(type: unknown, found: Found, visited: Set<unknown>): NotJson | undefined {
  const def = definitionOf(type)
  if (def === undefined || visited.has(type) || found.has(type)) return found.get(type)
  visited.add(type)
  const inside = searchInside(type, def, (one, step = '') => {
    const part = search(one, found, visited)
    return part === undefined ? undefined : { ...part, path: `${step}${part.path}` }
  })
  if (inside !== undefined) found.set(type, inside)
  return inside
}

function searchInside(
  type: unknown,
  def: Readonly<Record<string, unknown>>,
  searchIn: (part: unknown, step?: string) => NotJson | undefined,
): NotJson | undefined {
  const kind = String(def.type)
  const instead = def.coerce === true ? undefined : INSTEAD[kind]
  if (instead !== undefined) return { path: '', type: kind, instead }
  switch (kind) {
    case 'object':
      return findFirst(Object.entries(isRecord(def.shape) ? def.shape : {}), ([name, one]) => searchIn(one, `.${name}`))
    case 'array':
      return searchIn(def.element, '[]')
    case 'tuple':
      return findFirst([...listOf(def.items), def.rest], (one) => searchIn(one, '[]'))
    case 'record':
      return searchIn(def.valueType, '.*')
    case 'intersection':
      return searchIn(def.left) ?? searchIn(def.right)
    case 'union': {
      const options = listOf(def.options).map((one) => searchIn(one))
      // One branch that JSON can represent is enough.
      return options.every((one) => one !== undefined) ? options[0] : undefined
    }
    case 'pipe':
      // A preprocessing function can turn any JSON into the expected type.
      return definitionOf(def.in)?.type === 'transform' ? undefined : searchIn(def.in)
    case 'lazy':
      return searchIn(internalsOf(type)?.innerType)
    case 'catch':
      // It replaces an invalid value with its own, so a client can send any JSON.
      return undefined
    default:
      // `optional`, `nullable`, `default` and similar types wrap another type.
      return searchIn(def.innerType)
  }
}

function internalsOf(type: unknown): Readonly<Record<string, unknown>> | undefined {
  const internals = isRecord(type) ? type._zod : undefined
  return isRecord(internals) ? internals : undefined
}

function definitionOf(type: unknown): Readonly<Record<string, unknown>> | undefined {
  const def = internalsOf(type)?.def
  return isRecord(def) ? def : undefined
}

function findFirst<T>(items: readonly T[], find: (item: T) => NotJson | undefined): NotJson | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
