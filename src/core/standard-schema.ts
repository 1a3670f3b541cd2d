// Standard Schema (https://standardschema.dev): the interface that zod, valibot, arktype and others share.

import type { z } from 'zod'
import { isRecord } from './is-record.ts'
import { withObjectType } from './schema.ts'
import { cutLongText } from './text.ts'
import type { JsonSchema, Validation, ValidationIssue } from './tool.ts'
import { handleStackOverflow, isMissing, MAX_ISSUES, pathText } from './validate.ts'
import { issueAt } from './validation-issue.ts'

/** A schema of any library that implements Standard Schema v1. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProperties<Input, Output>
}

interface StandardProperties<Input, Output> {
  readonly version: 1
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  /** Only for the compiler: the property is absent when the program runs. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined
  readonly jsonSchema?: JsonSchemaConverter | undefined
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

interface JsonSchemaConverter {
  readonly input: (options: ConverterOptions) => Readonly<Record<string, unknown>>
}

interface ConverterOptions {
  readonly target: 'draft-2020-12'
  readonly libraryOptions?: Record<string, unknown> | undefined
}

/** A Standard Schema that can also be described to clients: a zod 4 schema, or one with Standard JSON Schema. */
export type InputSchema<Input = unknown, Output = Input> = StandardSchema<Input, Output> &
  ({ readonly _zod: unknown } | { readonly '~standard': { readonly jsonSchema: JsonSchemaConverter } })

/** The type that callers pass to a schema. */
export type InferInput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input']
/** The type that a schema returns after validation. */
export type InferOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output']

/** Whether the schema is one of zod 4 or of zod/mini, which have their own, faster path. */
export function isZod(value: unknown): value is z.core.$ZodType {
  return isRecord(value) && typeof value.safeParse === 'function' && '_zod' in value
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  // zod creates its `~standard` on first access, and the path for zod never needs it.
  if (isZod(value)) return true
  // A schema of arktype is a function.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const properties = '~standard' in value ? value['~standard'] : undefined
  return isRecord(properties) && typeof properties.validate === 'function'
}

/** The JSON Schema of the input. Undefined if the library offers none. Throws if JSON Schema cannot express it. */
export function toStandardInputSchema(schema: StandardSchema): JsonSchema | undefined {
  const { jsonSchema, vendor } = schema['~standard']
  if (typeof jsonSchema?.input !== 'function') return undefined
  const libraryOptions = LIBRARY_OPTIONS[vendor]
  const target = { target: 'draft-2020-12' } as const
  const printed = jsonSchema.input(libraryOptions === undefined ? target : { ...target, libraryOptions })
  // MCP assumes 2020-12, so a `$schema` would only cost tokens.
  const { $schema: _assumed, ...rest } = printed
  return withObjectType(rest)
}

/** Settings by library, so that all describe a schema as zod does. */
const LIBRARY_OPTIONS: Readonly<Record<string, Record<string, unknown>>> = {
  // The default is `{}` for a Date or a bigint. JSON cannot represent them, so a client could not call the command.
  arktype: { fallback: { proto: refuse, date: refuse, domain: refuse, symbolKey: refuse } },
  // By default, valibot refuses a schema with a check function. With this setting, the JSON Schema leaves the function
  // out; a call still runs it.
  valibot: { ignoreActions: ['check', 'check_items', 'partial_check', 'raw_check'] },
}

function refuse(part: unknown): never {
  const { proto, domain }: Readonly<Record<string, unknown>> = isRecord(part) ? part : {}
  const name = typeof proto === 'function' ? proto.name : String(domain ?? 'Date')
  throw new Error(`JSON cannot represent a ${name}`)
}

/**
 * Validates a value, and returns issues in the same form as those of zod. For the input of a command, `inputSchema` is
 * its JSON Schema, which describes an object.
 */
export async function validateStandard(
  schema: StandardSchema,
  value: unknown,
  inputSchema?: JsonSchema,
): Promise<Validation> {
  try {
    if (inputSchema !== undefined && Array.isArray(value)) return notAnObject
    return toValidation(await schema['~standard'].validate(value), value, inputSchema)
  } catch (error) {
    return handleStackOverflow(error)
  }
}

/** Some libraries accept an array for an object without required fields. The JSON Schema of the object does not. */
const notAnObject: Validation = {
  ok: false,
  issues: [issueAt('', 'expected object, received array')],
}

/** Validates without waiting. Undefined if the schema is asynchronous. */
export function validateStandardNow(
  schema: StandardSchema,
  value: unknown,
  inputSchema: JsonSchema,
): Validation | undefined {
  try {
    const result = schema['~standard'].validate(value)
    if (!(result instanceof Promise)) return toValidation(result, value, inputSchema)
    // An unhandled rejection would end the process.
    result.catch(() => undefined)
    return undefined
  } catch (error) {
    return handleStackOverflow(error)
  }
}

function toValidation(result: StandardResult<unknown>, input: unknown, inputSchema: JsonSchema = {}): Validation {
  if (result.issues === undefined) return { ok: true, value: result.value }
  return { ok: false, issues: result.issues.slice(0, MAX_ISSUES).map((issue) => toIssue(issue, input, inputSchema)) }
}

function toIssue({ message, path: segments = [] }: StandardIssue, input: unknown, schema: JsonSchema): ValidationIssue {
  const keys = segments.map((segment) => (typeof segment === 'object' ? segment.key : segment))
  const path = pathText(keys)
  if (path !== '' && isMissing(input, keys) && isRequired(keys, schema)) {
    return { path, message: `Required field '${path}' is missing` }
  }
  // Messages of arktype start with the path.
  const own = path !== '' && message.startsWith(`${path} `) ? message.slice(path.length + 1) : message
  return issueAt(path, cutLongText(own, 300))
}

/**
 * Whether the JSON Schema requires the field. False inside a union or a reference. If false, the message of the library
 * is kept: it may come from an author's own check of an optional field.
 */
function isRequired(keys: readonly PropertyKey[], schema: JsonSchema): boolean {
  let current: unknown = schema
  for (const key of keys.slice(0, -1)) {
    if (!isRecord(current)) return false
    const { properties, items } = current
    current = typeof key === 'number' ? items : isRecord(properties) ? properties[String(key)] : undefined
  }
  return isRecord(current) && Array.isArray(current.required) && current.required.includes(keys.at(-1))
}
