// Converts a word of the command line to a value of the schema's type.

import type { Form } from '../../../core/parameters/schema-form.ts'
import type { ReadSchema } from '../../../core/parameters/schema-reader.ts'

type Typed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly expected: string }

/** Tries the forms from the narrowest to the widest; any word is a valid string. */
export function typedValue(word: string, forms: readonly Form[], read: ReadSchema): Typed {
  if (forms.length === 0 || forms.some(({ kind }) => kind === 'any')) return { ok: true, value: jsonOr(word) }
  for (const form of forms.toSorted((a, b) => orderOf(a) - orderOf(b))) {
    const value = readAs(word, form, read)
    if (value !== undefined) return { ok: true, value: value.read }
  }
  // Accepts any word here, because the validation of the call reports the allowed choices.
  if (forms.some((form) => form.kind === 'literal' && typeof form.value === 'string')) return { ok: true, value: word }
  return { ok: false, expected: expectedOf(forms) }
}

/** For example `a number or null`. */
export function expectedOf(forms: readonly Form[]): string {
  return forms.map(({ kind }) => NAMES[kind] ?? kind).join(' or ')
}

const NAMES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list, as JSON or separated by commas',
  object: 'an object, as JSON',
  null: 'null',
}

/** The narrowest form first, because any word is a valid string. */
function orderOf({ kind }: Form): number {
  return ['literal', 'null', 'boolean', 'integer', 'number', 'object', 'array', 'string'].indexOf(kind)
}

interface Read {
  readonly read: unknown
}

function readAs(word: string, form: Form, read: ReadSchema): Read | undefined {
  switch (form.kind) {
    case 'literal':
      return String(form.value) === word ? { read: form.value } : undefined
    case 'null':
      return word === 'null' ? { read: null } : undefined
    case 'boolean':
      return word === 'true' || word === 'false' ? { read: word === 'true' } : undefined
    case 'integer':
    case 'number': {
      const value = word.trim() === '' ? Number.NaN : Number(word)
      return Number.isNaN(value) || (form.kind === 'integer' && !Number.isInteger(value)) ? undefined : { read: value }
    }
    case 'object': {
      const value = parsed(word)
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? { read: value } : undefined
    }
    case 'array': {
      const value = parsed(word)
      if (Array.isArray(value)) return { read: value }
      const items = word.split(',').map((item) => typedValue(item.trim(), itemForms(form, read), read))
      return items.every((item) => item.ok) ? { read: items.map((item) => item.value) } : undefined
    }
    default:
      return { read: word }
  }
}

function itemForms({ rest }: Extract<Form, { kind: 'array' }>, read: ReadSchema): readonly Form[] {
  return rest === false || rest === undefined ? [] : read(rest).forms
}

function jsonOr(word: string): unknown {
  const value = parsed(word)
  return value === undefined ? word : value
}

function parsed(word: string): unknown {
  try {
    return JSON.parse(word)
  } catch {
    return undefined
  }
}
