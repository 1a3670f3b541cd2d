// Reads the arguments of a call from --args, a file, stdin or key=value words, with the types in the schema.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { groupBy } from '../../../core/collections.ts'
import { raise } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import { parseJson } from '../../../core/json.ts'
import { argumentFields } from '../../../core/parameters/argument-fields.ts'
import type { Form, ObjectForm } from '../../../core/parameters/schema-form.ts'
import { createSchemaReader, type ReadSchema } from '../../../core/parameters/schema-reader.ts'
import { decodeText, messageOf } from '../../../core/text.ts'
import type { JsonSchema } from '../../../core/tool.ts'
import { fileProblem } from '../../output/file-problem.ts'
import { oneLine } from '../../output/text.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** `given` is JSON, `@file`, or `-` for stdin. */
export async function readJsonArguments(given: string, cwd: string): Promise<Arguments> {
  const [name, json] = await readText(given, cwd)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    return refuse(`${name} is not valid JSON: ${messageOf(error)}`)
  }
  return isRecord(value) ? value : refuse(`${name} is not a JSON object`)
}

/** Reads the JSON text. `name` says in error messages where the text comes from. */
async function readText(given: string, cwd: string): Promise<readonly [name: string, text: string]> {
  if (given === '-') return ['The text on stdin', decodeText(await buffer(process.stdin))]
  if (!given.startsWith('@')) return ['--args', given]
  const file = given.slice(1)
  try {
    return [file, decodeText(await readFile(resolve(cwd, file)))]
  } catch (error) {
    return refuse(fileProblem(file, error))
  }
}

interface PairsTarget {
  readonly schema: JsonSchema
  /** The name of the tool, for error messages. */
  readonly name: string
  /** The next step, for error messages. */
  readonly hint: string
}

/** `key=value` gets the type in the schema, `key:=json` is JSON, `a.b=value` is nested; a repeated key makes a list. */
export function readPairs(words: readonly string[], { schema, name, hint }: PairsTarget): Arguments {
  const read = createSchemaReader(schema)
  const args: Record<string, unknown> = {}
  for (const [key, values] of groupBy(words.map(readPair), (pair) => pair.key)) {
    const { path, forms } = fieldOf(key, schema, read)
    const isList = forms.some(({ kind }) => kind === 'array')
    const converted = values.map(({ word, isJson }) => {
      if (isJson) return parsePairJson(key, word)
      const typed = typedValue(word, forms, read)
      if (typed.ok) return typed.value
      const why = isInexact(word) ? ', which is too large to be exact' : ''
      const message = `Field '${key}': expected ${typed.expected}, received '${word}'${why}`
      const issue = { path: key, message }
      return raise('VALIDATION_ERROR', { name, issues: [issue], hint })
    })
    const value = values.length === 1 ? converted[0] : isList ? converted.flat() : converted
    setAt(args, path, value)
  }
  return args
}

function readPair(pair: string) {
  const [, key, colon, word = ''] = /^([^=\s]+?)(:?)=([\s\S]*)$/.exec(pair) ?? []
  return key === undefined ? refuse(`'${pair}' is not a key=value pair`) : { key, word, isJson: colon === ':' }
}

function fieldOf(key: string, schema: JsonSchema, read: ReadSchema) {
  const own = formsAt([key], schema, read)
  // The name of a field may contain a dot.
  const path = own === undefined && key.includes('.') ? key.split('.') : [key]
  return { path, forms: own ?? formsAt(path, schema, read) ?? [] }
}

/** The forms of the field at a path of keys. Undefined if the schema has no such field. */
function formsAt(path: readonly string[], schema: unknown, read: ReadSchema) {
  let at: unknown = schema
  for (const [depth, name] of path.entries()) {
    const { fields: common, variants } = argumentFields(at, read)
    const objects: readonly Pick<ObjectForm, 'fields'>[] = [{ fields: common }, ...variants]
    const field = objects.flatMap(({ fields }) => fields).find((one) => one.name === name && one.schema !== undefined)
    if (field === undefined) return undefined
    at = field.schema
    if (depth === path.length - 1) return read(at).forms
  }
  return undefined
}

function parsePairJson(key: string, word: string): unknown {
  const value = parseJson(word)
  if (value === undefined) return refuse(`${key}:= takes JSON, and '${word}' is not valid JSON`)
  return typeof value === 'number' && isInexact(word)
    ? refuse(`${key}:= takes JSON, and the number ${word} is too large to be exact`)
    : value
}

/** Sets the value at a path of keys, and creates the objects on the way. */
function setAt(args: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = '', ...rest] = path
  if (rest.length === 0) {
    // defineProperty instead of an assignment, because a key may be `__proto__`.
    Object.defineProperty(args, first, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  const inner = Object.hasOwn(args, first) && isRecord(args[first]) ? { ...args[first] } : {}
  setAt(inner, rest, value)
  setAt(args, [first], inner)
}

function refuse(reason: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib execute' })
}

type Typed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly expected: string }

export function typedValue(word: string, forms: readonly Form[], read: ReadSchema): Typed {
  if (forms.length === 0 || forms.some(({ kind }) => kind === 'any')) return { ok: true, value: jsonOrText(word) }
  for (const form of forms.toSorted((a, b) => orderOf(a) - orderOf(b))) {
    const converted = convertTo(form, word, read)
    if (converted !== undefined) return { ok: true, value: converted.value }
  }
  // A string is allowed, so the word is passed on. The validation of the call lists the allowed values.
  if (forms.some((form) => form.kind === 'literal' && typeof form.value === 'string')) return { ok: true, value: word }
  return { ok: false, expected: expectedOf(forms) }
}

/** For example `a number or null`, or `one of 1, 2, 3`. */
export function expectedOf(forms: readonly Form[]): string {
  const values = forms.flatMap((form) => (form.kind === 'literal' ? [oneLine(literalText(form.value))] : []))
  const others = forms.flatMap(({ kind }) => (kind === 'literal' ? [] : [NAMES[kind]]))
  const more = values.length > MAX_VALUES ? [`and ${values.length - MAX_VALUES} more`] : []
  const listed = [...values.slice(0, MAX_VALUES), ...more].join(', ')
  return [...(values.length === 0 ? [] : [values.length === 1 ? listed : `one of ${listed}`]), ...others].join(' or ')
}

const MAX_VALUES = 20

const NAMES: Readonly<Record<Exclude<Form['kind'], 'literal'>, string>> = {
  any: 'any value',
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list, as JSON or separated by commas',
  object: 'an object, as JSON',
  null: 'null',
}

/** The value as a person types it: a string without quotes, other values as JSON. */
function literalText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The narrowest form first, because any word is a valid string. */
function orderOf({ kind }: Form): number {
  return ['literal', 'null', 'boolean', 'integer', 'number', 'object', 'array', 'string'].indexOf(kind)
}

/** Returns the value in an object, because the value itself can be null. Undefined if the word has another form. */
function convertTo(form: Form, word: string, read: ReadSchema): { readonly value: unknown } | undefined {
  switch (form.kind) {
    case 'literal':
      return literalText(form.value) === word ? { value: form.value } : undefined
    case 'null':
      return word === 'null' ? { value: null } : undefined
    case 'boolean':
      return word === 'true' || word === 'false' ? { value: word === 'true' } : undefined
    case 'integer':
    case 'number': {
      const value = word.trim() === '' ? Number.NaN : Number(word)
      if (Number.isNaN(value) || isInexact(word)) return undefined
      return form.kind === 'integer' && !Number.isInteger(value) ? undefined : { value }
    }
    case 'object': {
      const value = parseJson(word)
      return isRecord(value) ? { value } : undefined
    }
    case 'array': {
      const value = parseJson(word)
      if (Array.isArray(value)) return { value }
      const items = word.split(',').map((item) => typedValue(item.trim(), itemForms(form, read), read))
      return items.every((item) => item.ok) ? { value: items.map((item) => item.value) } : undefined
    }
    default:
      return { value: word }
  }
}

function itemForms({ rest }: Extract<Form, { kind: 'array' }>, read: ReadSchema): readonly Form[] {
  return rest === false || rest === undefined ? [] : read(rest).forms
}

function jsonOrText(word: string): unknown {
  const value = parseJson(word)
  return value === undefined || (typeof value === 'number' && isInexact(word)) ? word : value
}

/** Whether the word is a number that JavaScript would change: `1e999` is infinite, and digits are lost above 2^53. */
function isInexact(word: string): boolean {
  const value = Number(word)
  if (Number.isNaN(value) || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false
  return !Number.isFinite(value) || (!/e/i.test(word) && String(BigInt(value)) !== word.trim())
}
