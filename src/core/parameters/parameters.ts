// The parameters of a tool as a short list: enough for a model to call it, for a fraction of the tokens of its schema.

import type { JsonSchema } from '../tool.ts'
import { argumentFields, type OtherFields } from './argument-fields.ts'
import { wordSetOf } from './parameter-description.ts'
import { fittedType, listWithin, type Parameter } from './parameter-list.ts'
import type { Field } from './schema-form.ts'
import { createSchemaReader, type ReadSchema } from './schema-reader.ts'
import { objectText } from './type-text.ts'

export type { Parameter } from './parameter-list.ts'

export interface ParameterList {
  /** The required ones come first. */
  readonly parameters: readonly Parameter[]
  /**
   * The forms of arguments, if the schema allows several: in addition to `parameters`, a call has the fields of one of
   * these.
   */
  readonly oneOf?: readonly string[]
  /** Says what the list leaves out, and how to get it. */
  readonly note?: string
}

interface ParameterOptions {
  /** Above this many characters, parameters get less detail, and then some are left out (default 5,000). */
  readonly maxChars?: number
  /** Text that the reader already knows, such as the tool's name. A description that only repeats it is left out. */
  readonly about?: string
  /** The call that returns the full JSON Schema, if the reader can make one. The note names it. */
  readonly fullSchemaBy?: string | undefined
}

const MAX_CHARS = 5_000
const MAX_VARIANTS = 12
const UNDECLARED = 'The server does not say which parameters this takes.'

/** Never throws, for any schema. */
export function parametersOf(schema: JsonSchema, options: ParameterOptions = {}): ParameterList {
  const { maxChars = MAX_CHARS, about = '', fullSchemaBy } = options
  const read = createSchemaReader(schema)
  const { fields, variants, others, isWhole, isDeclared } = argumentFields(schema, read)
  if (!isDeclared) return { parameters: [], note: UNDECLARED }
  const everyField = [...fields, ...others.flatMap((other) => asField(other, read))]
  const list = listWithin(maxChars, everyField, read, wordSetOf(about))
  const shown = variants.slice(0, MAX_VARIANTS)
  const forms = shown.map((form) => fittedType((detail) => objectText(form, read, detail)))
  const isComplete = isWhole && list.isWhole && shown.length === variants.length && forms.every((form) => form.isWhole)
  const whole = fullSchemaBy === undefined ? '' : `; ${fullSchemaBy} gives the full JSON Schema`
  const notes = [...list.notes, ...(isComplete ? [] : [`… marks what is left out${whole}.`])]
  return {
    parameters: list.parameters,
    ...(forms.length === 0 ? {} : { oneOf: forms.map(({ text }) => text) }),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  }
}

/** Shows fields with arbitrary names as one parameter. */
function asField({ value }: OtherFields, read: ReadSchema): readonly Field[] {
  const saysNothing = read(value).forms.some(({ kind }) => kind === 'any')
  return saysNothing ? [] : [{ name: '[key]', schema: value, isRequired: false }]
}
