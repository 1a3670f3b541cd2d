// Prints a JSON Schema as a short type that a model can read quickly: `{city: string, zip?: string}[] 1..5 items`.

import { requiredFirst } from './argument-fields.ts'
import { shortDescription } from './parameter-description.ts'
import { type ArrayForm, type Field, type Form, isNull, type ObjectForm } from './schema-form.ts'
import type { Reading, ReadSchema } from './schema-reader.ts'
import {
  arrayLimits,
  type Limits,
  literalText,
  nameText,
  numberLimits,
  objectLimits,
  stringLimits,
} from './type-parts.ts'

export interface TypeDetail {
  /** Above this many characters only required parts are added; above four times as many, nothing is added. */
  readonly maxChars: number
  /** The number of object levels that show optional fields. Deeper levels show only required fields. */
  readonly optionalDepth: number
  /** Below the first level, an object with more optional fields than this shows only its required fields. */
  readonly maxOptional: number
  /** The maximum length of the description of a nested field; 0 for no description. */
  readonly commentChars: number
}

export interface TypeText {
  readonly text: string
  /** Whether the text says everything that the schema says. If not, `…` marks each gap. */
  readonly isWhole: boolean
}

/** The state while one type is printed. */
interface Printing {
  readonly detail: TypeDetail
  readonly read: ReadSchema
  /** The forms that enclose the current one. Finding one of them again is a recursion. */
  readonly enclosing: Set<readonly Form[]>
  /** The number of characters so far. */
  written: number
  isWhole: boolean
}

/** A part of a type. `isSimple`: an array of this type needs no parentheses. */
interface Piece {
  readonly text: string
  readonly isSimple: boolean
}

const MAX_NESTING = 16
const MAX_TUPLE = 16
const MAX_ENUM_CHARS = 480
const MAX_DEFAULT_CHARS = 40
const CUT: Piece = { text: '…', isSimple: true }

/**
 * The type of a parameter and its default.
 *
 * - `string`, `integer`, `number`, `boolean`, `null`, `any`, `object`; `never` if no value fits
 * - `'open'|5|true`: these values; `string|null`: one of these types
 * - `string date-time`: a format
 * - `string /^[a-z]+$/`: a pattern
 * - `string 1..64 chars`, `string >=1 chars`
 * - `integer 1..100`, `number >0`, `number <=1`, `integer multiple of 5`
 * - `string[]`, `(integer 1..5)[] 1..3 items unique`, `[string, number]`, `[string, ...number[]]`
 * - `{city: string, zip?: string}`: `?` marks an optional field
 * - `{[key]: number}`: any key; `{[key: 'a'|'b']: number}`: only these keys; `object >=1 keys`
 * - ` = 20`: the default; `/* text *\/` after a field: its description
 * - `…`: something that is left out; `…+12`: twelve things that are left out
 */
export function typeText(field: Field, read: ReadSchema, detail: TypeDetail): TypeText {
  const printing: Printing = { detail, read, enclosing: new Set(), written: 0, isWhole: true }
  const text = fieldType(field, printing, 0)
  return { text, isWhole: printing.isWhole }
}

/** The type of an object, as one of several forms of arguments. */
export function objectText(form: ObjectForm, read: ReadSchema, detail: TypeDetail): TypeText {
  const printing: Printing = { detail, read, enclosing: new Set(), written: 0, isWhole: true }
  const { text } = objectPiece(form, printing, 0)
  return { text, isWhole: printing.isWhole }
}

function fieldType({ schema, isRequired }: Field, printing: Printing, depth: number): string {
  const reading = printing.read(schema)
  // Omitting the field means the same as null, so null is not printed.
  const isNullWhenAbsent = !isRequired && reading.default === null && reading.forms.some((form) => !isNull(form))
  const { text } = readingPiece(reading, printing, depth, isNullWhenAbsent)
  return `${text}${defaultText(reading.default)}`
}

function defaultText(value: unknown): string {
  if (value === undefined || value === null || value === '') return ''
  const text = literalText(value, MAX_DEFAULT_CHARS)
  return text === undefined ? '' : ` = ${text}`
}

function schemaPiece(schema: unknown, printing: Printing, depth: number): Piece {
  return readingPiece(printing.read(schema), printing, depth, false)
}

function readingPiece(reading: Reading, printing: Printing, depth: number, isWithoutNull: boolean): Piece {
  const { forms, isWhole } = reading
  const { enclosing, detail, written } = printing
  if (enclosing.size >= MAX_NESTING || enclosing.has(forms) || written > detail.maxChars * 4) return cut(printing)
  enclosing.add(forms)
  const union = unionPiece(isWithoutNull ? forms.filter((form) => !isNull(form)) : forms, printing, depth)
  enclosing.delete(forms)
  if (isWhole) return union
  printing.isWhole = false
  return { text: `${union.text} …`, isSimple: false }
}

function unionPiece(forms: readonly Form[], printing: Printing, depth: number): Piece {
  const [only] = forms
  if (only === undefined) return counted({ text: 'never', isSimple: true }, printing)
  if (forms.some((form) => form.kind === 'any')) return counted({ text: 'any', isSimple: true }, printing)
  if (forms.length === 1) return formPiece(only, printing, depth)
  const { maxChars } = printing.detail
  const texts = new Set<string>()
  let literalChars = 0
  let leftOut = 0
  for (const form of forms) {
    const isFull = form.kind === 'literal' && literalChars > Math.min(MAX_ENUM_CHARS, maxChars)
    const isLarge = form.kind === 'object' || form.kind === 'array'
    if (isFull || (isLarge && texts.size > 0 && printing.written > maxChars)) {
      leftOut++
      continue
    }
    const { text } = formPiece(form, printing, depth)
    if (form.kind === 'literal') literalChars += text.length + 1
    texts.add(text)
  }
  if (leftOut > 0) {
    printing.isWhole = false
    texts.add(`…+${leftOut}`)
  }
  return { text: [...texts].join('|'), isSimple: texts.size === 1 && !/ /.test([...texts].join()) }
}

function formPiece(form: Form, printing: Printing, depth: number): Piece {
  switch (form.kind) {
    case 'literal': {
      const text = literalText(form.value, MAX_ENUM_CHARS)
      return text === undefined ? cut(printing) : counted({ text, isSimple: true }, printing)
    }
    case 'string':
      return limited('string', stringLimits(form), printing)
    case 'integer':
    case 'number':
      return limited(form.kind, numberLimits(form), printing)
    case 'array':
      return arrayPiece(form, printing, depth)
    case 'object':
      return objectPiece(form, printing, depth)
    default:
      return counted({ text: form.kind, isSimple: true }, printing)
  }
}

function arrayPiece(form: ArrayForm, printing: Printing, depth: number): Piece {
  const { text, isSimple } = form.rest === false ? CUT : schemaPiece(form.rest, printing, depth)
  const list = `${isSimple ? text : `(${text})`}[]`
  if (form.first.length === 0) return withLimits(form.rest === false ? '[]' : list, arrayLimits(form), printing)
  const parts = form.first.slice(0, MAX_TUPLE).map((schema) => schemaPiece(schema, printing, depth).text)
  if (form.first.length > MAX_TUPLE) parts.push(cut(printing).text)
  else if (form.rest !== false && form.count.max !== form.first.length) parts.push(`...${list}`)
  return withLimits(`[${parts.join(', ')}]`, arrayLimits(form), printing)
}

function objectPiece(form: ObjectForm, printing: Printing, depth: number): Piece {
  const { maxChars, optionalDepth, maxOptional } = printing.detail
  const optionalCount = form.fields.filter(({ isRequired }) => !isRequired).length
  const hidesOptional = depth >= optionalDepth || (depth > 0 && optionalCount > maxOptional)
  const parts: string[] = []
  let leftOut = 0
  for (const field of requiredFirst(form.fields)) {
    const isLeftOut = field.isRequired ? printing.written > maxChars * 4 : hidesOptional || printing.written > maxChars
    if (isLeftOut) leftOut++
    else parts.push(fieldText(field, printing, depth + 1))
  }
  for (const { key, value } of form.others) {
    const name = keyText(key, printing, depth)
    const type = schemaPiece(value, printing, depth + 1).text
    if (printing.written > maxChars * 4) leftOut++
    else if (parts.length > 0 || name !== '[key]' || type !== 'any') parts.push(`${name}: ${type}`)
  }
  if (leftOut > 0) {
    printing.isWhole = false
    parts.push(`…+${leftOut}`)
  }
  const allowsAnyField = parts.length === 0 && form.isOpen
  return withLimits(allowsAnyField ? 'object' : `{${parts.join(', ')}}`, objectLimits(form), printing)
}

function fieldText(field: Field, printing: Printing, depth: number): string {
  // A variant refers to a field that the parameter list already describes.
  if (field.schema === undefined) return nameText(field.name)
  const head = `${nameText(field.name)}${field.isRequired ? '' : '?'}: `
  printing.written += head.length
  const type = fieldType(field, printing, depth)
  const description = shortDescription(field.name, printing.read(field.schema), printing.detail.commentChars)
  const comment = description === undefined ? '' : ` /* ${description.replaceAll('*/', '* /')} */`
  printing.written += comment.length
  return `${head}${type}${comment}`
}

function keyText(key: unknown, printing: Printing, depth: number): string {
  const { text } = schemaPiece(key, printing, depth + 1)
  return text === 'any' || text === 'string' ? '[key]' : `[key: ${text}]`
}

function limited(base: string, limits: Limits, printing: Printing): Piece {
  printing.written += base.length
  return withLimits(base, limits, printing)
}

/** Counts only the limits, because the caller has counted the base already. */
function withLimits(base: string, { text, isWhole }: Limits, printing: Printing): Piece {
  printing.isWhole &&= isWhole
  printing.written += text.length
  return { text: `${base}${text}`, isSimple: text === '' }
}

function counted(piece: Piece, printing: Printing): Piece {
  printing.written += piece.text.length
  return piece
}

function cut(printing: Printing): Piece {
  printing.isWhole = false
  return CUT
}
