// Converts a word of the command line to a value of the schema's type.

import { isRecord } from '../../../core/is-record.ts'
import type { Form } from '../../../core/parameters/schema-form.ts'
import type { ReadSchema } from '../../../core/parameters/schema-reader.ts'
import { parseJson } from '../../../core/parse-json.ts'
import { oneLine } from '../../output/text.ts'

type Typed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly expected: string }

/** Tries the forms from the narrowest to the widest. */
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

/** An object, because the value itself can be null. */
interface Converted {
  readonly value: unknown
}

function convertTo(form: Form, word: string, read: ReadSchema): Converted | undefined {
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
      return Number.isNaN(value) || (form.kind === 'integer' && !Number.isInteger(value)) ? undefined : { value }
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
  return value === undefined ? word : value
}
