// Builds small example arguments that should fit a tool's JSON Schema. The caller validates them before it shows them.

import type { JsonSchema } from '../tool.ts'
import { exampleOfPattern } from './example-pattern.ts'
import {
  type ArrayForm,
  type Field,
  type Form,
  isNull,
  isOfType,
  type NumberForm,
  type ObjectForm,
  type StringForm,
} from './schema-form.ts'
import { createSchemaReader, type ReadSchema } from './schema-reader.ts'
import { isDescriptiveFormat } from './type-parts.ts'

/** The state while one example is built. */
interface BuildState {
  readonly read: ReadSchema
  stepsLeft: number
}

const MAX_DEPTH = 16
const MAX_STEPS = 2_000
const MAX_ITEMS = 20

/** Returns the same arguments for the same schema; an empty object if it finds nothing better. */
export function exampleArguments(schema: JsonSchema): Readonly<Record<string, unknown>> {
  const state: BuildState = { read: createSchemaReader(schema), stepsLeft: MAX_STEPS }
  const { forms } = state.read(schema)
  for (const form of forms) {
    const value = form.kind === 'object' ? objectValue(form, state, 0) : undefined
    if (value !== undefined) return value
  }
  return {}
}

// The functions `…Value` return undefined if they find no value: undefined is not a JSON value.

/** `nth` gives another value if several values must differ. */
function schemaValue(schema: unknown, state: BuildState, depth: number, nth: number): unknown {
  if (depth > MAX_DEPTH || state.stepsLeft-- <= 0) return undefined
  const { forms, examples, default: defaultValue } = state.read(schema)
  // A default that is an object or an array often does not fit the schema.
  const offered = [...examples, typeof defaultValue === 'object' ? undefined : defaultValue].filter(
    (value) => value !== undefined,
  )
  const [best] = nth === 0 ? offered.filter((value) => forms.some((form) => isAlike(value, form))) : []
  if (best !== undefined) return best
  const literals = forms.filter(({ kind }) => kind === 'literal')
  const picked = literals[nth % Math.max(1, literals.length)]
  // Null is tried last: it fits, but it shows nothing.
  const ordered = [...(picked === undefined ? [] : [picked]), ...forms.filter((form) => form !== picked)]
  for (const form of [...ordered.filter((form) => !isNull(form)), ...ordered.filter(isNull)]) {
    const value = formValue(form, state, depth, nth)
    if (value !== undefined) return value
  }
  return undefined
}

function formValue(form: Form, state: BuildState, depth: number, nth: number): unknown {
  switch (form.kind) {
    case 'any':
      return 'example'
    case 'null':
      return null
    case 'boolean':
      return nth % 2 === 0
    case 'literal':
      return form.value
    case 'string':
      return exampleString(form, nth)
    case 'integer':
    case 'number':
      return exampleNumber(form, nth)
    case 'array':
      return arrayValue(form, state, depth)
    case 'object':
      return objectValue(form, state, depth)
  }
}

function arrayValue(form: ArrayForm, state: BuildState, depth: number): readonly unknown[] | undefined {
  const { min = 0, max = MAX_ITEMS } = form.count
  if (min > MAX_ITEMS) return undefined
  // Show one item if the schema allows one.
  const wanted = Math.min(Math.max(min, form.first.length, 1), max)
  const items: unknown[] = []
  for (let index = 0; index < wanted; index++) {
    const schema = form.first[index] ?? form.rest
    const item = schemaValue(schema, state, depth + 1, form.isUnique ? index : 0)
    if (item === undefined) return items.length >= min ? items : undefined
    items.push(item)
  }
  return items
}

function objectValue(form: ObjectForm, state: BuildState, depth: number): Record<string, unknown> | undefined {
  const { min = 0 } = form.count
  const needed = form.fields.filter(({ isRequired }) => isRequired)
  const optional = form.fields.filter(({ isRequired }) => !isRequired)
  const entries: [string, unknown][] = []
  const add = ({ name, schema }: Pick<Field, 'name' | 'schema'>) => {
    const value = schemaValue(schema, state, depth + 1, 0)
    if (value !== undefined) entries.push([name, value])
    return value !== undefined
  }
  if (!needed.every(add)) return undefined
  for (const field of optional) if (entries.length < min) add(field)
  for (const [index, { key, value }] of form.others.entries()) {
    if (entries.length >= min) break
    const name = schemaValue(key, state, depth + 1, index)
    if (typeof name === 'string') add({ name, schema: value })
  }
  // `fromEntries` instead of assignment: `__proto__` is an ordinary name here.
  return entries.length >= min ? Object.fromEntries(entries) : undefined
}

/** Whether a value has the outer shape of a form. Examples that an author wrote next to a schema may not fit it. */
function isAlike(value: unknown, form: Form): boolean {
  if (form.kind === 'any') return true
  return form.kind === 'literal' ? form.value === value : isOfType(value, form.kind)
}

// These names and addresses are reserved for documentation (RFC 2606, RFC 5737, RFC 3849).
const FORMATS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'date-time': '2025-01-31T09:30:00Z',
    date: '2025-01-31',
    time: '09:30:00Z',
    duration: 'P1D',
    email: 'name@example.com',
    'idn-email': 'name@example.com',
    hostname: 'example.com',
    'idn-hostname': 'example.com',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
    cidrv4: '192.0.2.0/24',
    cidrv6: '2001:db8::/32',
    uri: 'https://example.com',
    url: 'https://example.com',
    'uri-reference': '/example',
    iri: 'https://example.com',
    'iri-reference': '/example',
    'uri-template': 'https://example.com/{id}',
    'json-pointer': '/example',
    'relative-json-pointer': '0',
    regex: 'example',
    uuid: '123e4567-e89b-12d3-a456-426614174000',
    byte: 'ZXhhbXBsZQ==',
    json: '{}',
  }),
)

const MAX_CHARS = 2_000

/** `nth` gives another value when several must differ, unless there is a format or a pattern. */
export function exampleString({ format, pattern, length }: StringForm, nth = 0): string | undefined {
  const { min = 0, max = MAX_CHARS } = length
  if (min > max || min > MAX_CHARS) return undefined
  const known = format === undefined ? undefined : FORMATS.get(format)
  if (known !== undefined && (pattern === undefined || isDescriptiveFormat(format))) return known
  if (pattern !== undefined) {
    const made = exampleOfPattern(pattern, length)
    // The text for `^https://` is `https://`, which is not an address. The known example starts with it.
    return known !== undefined && (made === undefined || known.startsWith(made)) ? known : made
  }
  const word = nth === 0 ? 'example' : `${nth}-example`
  return word.repeat(Math.max(1, Math.ceil(min / word.length))).slice(0, Math.max(min, Math.min(max, word.length)))
}

/** A value near 1 if one fits, else near a limit or halfway between the limits. `nth` gives another value. */
export function exampleNumber(form: NumberForm, nth = 0): number | undefined {
  const { kind, min, max, above, below } = form
  const unit = form.step ?? (kind === 'integer' ? 1 : 0)
  const [low, high] = [min ?? above, max ?? below]
  const middle = low === undefined || high === undefined ? undefined : (low + high) / 2
  const starts = [1, low, high, middle].filter((start) => start !== undefined)
  const near = starts.flatMap((start) => {
    const whole = unit === 0 ? start : Math.ceil(start / unit) * unit
    return [whole, whole + (unit || 1), whole - (unit || 1)]
  })
  return near.map((value) => value + nth * (unit || 1)).find((value) => isWithin(value, form))
}

function isWithin(value: number, { min, max, above, below }: NumberForm): boolean {
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) return false
  return (above === undefined || value > above) && (below === undefined || value < below)
}
