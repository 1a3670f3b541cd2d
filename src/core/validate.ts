// Validates input against a zod type or another Standard Schema, and describes each fault with the name of the field.

import { z } from 'zod'
import { isRecord } from './is-record.ts'
import { withObjectType } from './schema.ts'
import { cutLongText } from './text.ts'
import type { JsonSchema, Validation, ValidationIssue } from './tool.ts'
import { acceptsType, type Expectation, expectationOf, expectedOneOf, NO_FORM } from './union-issues.ts'
import { issueAt } from './validation-issue.ts'

/** The maximum number of reported faults. Input may be wrong in a million places. */
const MAX_ISSUES = 50

export function validateWith(type: z.core.$ZodType, input: unknown): Validation {
  try {
    return zodValidation(z.safeParse(type, input), input)
  } catch (error) {
    return handleStackOverflow(error)
  }
}

/**
 * For schemas with asynchronous checks. Does not try the synchronous parse first, which would start an asynchronous
 * check and abandon it. If the abandoned check rejected later, the unhandled rejection would end the process.
 */
export async function validateAsync(type: z.core.$ZodType, input: unknown): Promise<Validation> {
  try {
    return zodValidation(await z.safeParseAsync(type, input), input)
  } catch (error) {
    return handleStackOverflow(error)
  }
}

/** The message of V8. The transform of an author can throw other RangeErrors, such as `Invalid time value`. */
const STACK_OVERFLOW = 'Maximum call stack size exceeded'

/** Turns a stack overflow into an issue, and throws any other error. Only hostile input overflows the stack. */
function handleStackOverflow(error: unknown): Validation {
  if (error instanceof RangeError && error.message === STACK_OVERFLOW)
    return { ok: false, issues: [issueAt('', 'nested too deeply')] }
  throw error
}

function zodValidation(parsed: z.ZodSafeParseResult<unknown>, input: unknown): Validation {
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, issues: issuesOf(parsed.error.issues, input) }
}

/** Turns zod issues into messages that name the field, up to the maximum number. */
export function issuesOf(issues: readonly z.core.$ZodIssue[], input: unknown): ValidationIssue[] {
  const described = issues.slice(0, MAX_ISSUES).flatMap((issue) => zodIssues(issue, input))
  return described.slice(0, MAX_ISSUES)
}

function zodIssues(issue: z.core.$ZodIssue, input: unknown): ValidationIssue[] {
  const path = pathText(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_ISSUES).map((key) => {
      const full = pathText([...issue.path, key])
      return { path: full, message: `Unknown field '${full}'` }
    })
  }
  // The message of an author's own check is better than a general one, so `custom` issues are kept.
  if (path !== '' && issue.code !== 'custom' && isMissing(input, issue.path)) {
    return [{ path, message: `Required field '${path}' is missing` }]
  }
  const union = issue.code === 'invalid_union' ? resolveUnion(issue, valueAt(input, issue.path)) : undefined
  if (typeof union === 'object') {
    const nested = union.slice(0, MAX_ISSUES).map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
    return issuesOf(nested, input)
  }
  // Most messages of zod start with these words, which the error around the issues says already.
  return [issueAt(path, cutLongText((union ?? issue.message).replace(/^Invalid input: /, ''), 300))]
}

/**
 * The issues of the union branch that the value was meant for: the only one that accepts its type. Else the message for
 * the whole union.
 */
function resolveUnion(issue: z.core.$ZodIssueInvalidUnion, value: unknown): readonly z.core.$ZodIssue[] | string {
  const branches = issue.errors.map((issues) => ({ issues, ...expectationIn(issues, value) }))
  const fitting = branches.filter((branch) => acceptsType(branch, value))
  if (fitting.length === 1 && fitting[0] !== undefined) return fitting[0].issues
  const { types, constants } = expectationOf(branches, value)
  if (types.length > 0) return `expected ${types.join(' or ')}`
  // Any other message was written by the author, or says more than the general one of zod.
  if (issue.message !== 'Invalid input') return issue.message
  return constants.length > 0 ? expectedOneOf(constants) : NO_FORM
}

/** Reads the issues about the union's value itself, and not those about its parts. */
function expectationIn(branch: readonly z.core.$ZodIssue[], value: unknown): Expectation {
  const parts = branch.flatMap((issue): readonly Expectation[] => {
    if (issue.path.length > 0) return []
    switch (issue.code) {
      case 'invalid_type':
        return [{ types: [issue.expected], constants: [] }]
      case 'invalid_value':
        return [{ types: [], constants: issue.values }]
      case 'invalid_union': {
        const inside = issue.errors.map((one) => expectationIn(one, value))
        return [expectationOf(inside, value)]
      }
      default:
        return []
    }
  })
  return { types: parts.flatMap(({ types }) => types), constants: parts.flatMap(({ constants }) => constants) }
}

function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key, index) =>
    typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${cutLongText(String(key), 80)}`,
  )
  return cutLongText(parts.join(''), 200)
}

function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  return valueAt(input, path) === undefined
}

/** The value at the path, without inherited properties. Undefined if it does not exist. */
function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key] // hasOwn was just checked
  }
  return value
}

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
  // By default, valibot refuses a schema with a check function. Here the JSON Schema leaves it out; a call runs it.
  valibot: { ignoreActions: ['check', 'check_items', 'partial_check', 'raw_check'] },
}

function refuse(part: unknown): never {
  const { proto, domain }: Readonly<Record<string, unknown>> = isRecord(part) ? part : {}
  const name = typeof proto === 'function' ? proto.name : String(domain ?? 'Date')
  throw new Error(`JSON cannot represent a ${name}`)
}

/** For the input of a command, `inputSchema` is its JSON Schema, which describes an object. */
export async function validateStandard(
  schema: StandardSchema,
  value: unknown,
  inputSchema?: JsonSchema,
): Promise<Validation> {
  try {
    if (inputSchema !== undefined && Array.isArray(value)) return notAnObject
    return standardValidation(await schema['~standard'].validate(value), value, inputSchema)
  } catch (error) {
    return handleStackOverflow(error)
  }
}

/** Some libraries accept an array for an object without required fields. The JSON Schema of the object does not. */
const notAnObject: Validation = { ok: false, issues: [issueAt('', 'expected object, received array')] }

/** Validates without waiting. Undefined if the schema is asynchronous. */
export function validateStandardNow(
  schema: StandardSchema,
  value: unknown,
  inputSchema: JsonSchema,
): Validation | undefined {
  try {
    if (Array.isArray(value)) return notAnObject
    const result = schema['~standard'].validate(value)
    if (!(result instanceof Promise)) return standardValidation(result, value, inputSchema)
    // An unhandled rejection would end the process.
    result.catch(() => undefined)
    return undefined
  } catch (error) {
    return handleStackOverflow(error)
  }
}

function standardValidation(result: StandardResult<unknown>, input: unknown, inputSchema: JsonSchema = {}): Validation {
  if (result.issues === undefined) return { ok: true, value: result.value }
  return {
    ok: false,
    issues: result.issues.slice(0, MAX_ISSUES).map((issue) => standardIssue(issue, input, inputSchema)),
  }
}

function standardIssue(
  { message, path: segments = [] }: StandardIssue,
  input: unknown,
  schema: JsonSchema,
): ValidationIssue {
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
