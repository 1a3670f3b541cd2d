// The parameters of a tool as a short list: enough for a model to call it, for a fraction of the tokens of its schema.

import { cutLongText } from '../text.ts'
import type { JsonSchema } from '../tool.ts'
import { argumentFields } from './argument-fields.ts'
import { shortDescription, type WordSet, wordSetOf } from './parameter-description.ts'
import type { Field, OtherFields } from './schema-form.ts'
import { createSchemaReader, type ReadSchema } from './schema-reader.ts'
import { objectText, type TypeDetail, type TypeText, typeText } from './type-text.ts'

export interface ParameterList {
  /** The required ones come first. */
  readonly parameters: readonly Parameter[]
  /** The forms of arguments, if there are several: besides `parameters`, a call has the fields of one of these. */
  readonly oneOf?: readonly string[]
  /** Says what the list leaves out, and how to get it. */
  readonly note?: string
}

interface ParameterOptions {
  /** Text that the reader already knows, such as the tool's name. A description that only repeats it is left out. */
  readonly about?: string
  /** The call that returns the full JSON Schema, if the reader can make one. The note names it. */
  readonly fullSchemaBy?: string | undefined
}

/** Above this many characters, parameters get less detail, and then some are left out. */
const MAX_CHARS = 5_000
const MAX_VARIANTS = 12
const UNDECLARED = 'The server does not say which parameters this takes.'

/** Never throws, for any schema. */
export function parametersOf(schema: JsonSchema, options: ParameterOptions = {}): ParameterList {
  const { about = '', fullSchemaBy } = options
  const read = createSchemaReader(schema)
  const { fields, variants, others, isWhole, isDeclared } = argumentFields(schema, read)
  if (!isDeclared) return { parameters: [], note: UNDECLARED }
  const everyField = [...fields, ...others.flatMap((other) => asField(other, read))]
  const shown = listWithLimit(everyField, read, wordSetOf(about))
  const forms = variants.slice(0, MAX_VARIANTS).map((form) => fittedType((detail) => objectText(form, read, detail)))
  const isComplete = shown.length === everyField.length && forms.length === variants.length
  const isUncut = isWhole && isComplete && [...shown, ...forms].every((one) => one.isWhole)
  const whole = fullSchemaBy === undefined ? '' : `; ${fullSchemaBy} gives the full JSON Schema`
  const notes = [...noteOfHidden(shown, everyField), ...(isUncut ? [] : [`… marks what is left out${whole}.`])]
  return {
    parameters: shown.map(({ parameter }) => parameter),
    ...(forms.length === 0 ? {} : { oneOf: forms.map(({ text }) => text) }),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  }
}

/** Returns fields with arbitrary names as one parameter. */
export function asField({ value }: OtherFields, read: ReadSchema): readonly Field[] {
  const saysNothing = read(value).forms.some(({ kind }) => kind === 'any')
  return saysNothing ? [] : [{ name: '[key]', schema: value, isRequired: false }]
}

interface Parameter {
  readonly name: string
  /** `integer 1..100 = 20`, `'open'|'closed'`, `{path: string, mode?: string}[]`. type-text.ts has the grammar. */
  readonly type: string
  readonly description?: string
  readonly required: boolean
}

/** Names some of the fields that are not shown. */
function noteOfHidden(shown: readonly Shown[], fields: readonly Field[]): readonly string[] {
  const names = new Set(shown.map(({ parameter }) => parameter.name))
  const hidden = fields.filter(({ name }) => !names.has(name)).map(({ name }) => name)
  const some = cutLongText(hidden.slice(0, MAX_NAMES).join(', '), MAX_NAMES_CHARS)
  return hidden.length === 0 ? [] : [`${hidden.length} more, such as ${some}.`]
}

/** How much detail one parameter gets. The first of `types` that stays within its own limit is used, else the last. */
interface DetailLevel {
  readonly descriptionChars: number
  readonly types: readonly TypeDetail[]
}

const NEEDED: DetailLevel = {
  descriptionChars: 100,
  types: [
    { maxChars: 300, optionalDepth: 12, maxOptional: 100, commentChars: 60 },
    { maxChars: 900, optionalDepth: 12, maxOptional: 100, commentChars: 0 },
    { maxChars: 900, optionalDepth: 3, maxOptional: 8, commentChars: 0 },
    { maxChars: 900, optionalDepth: 2, maxOptional: 4, commentChars: 0 },
    { maxChars: 900, optionalDepth: 2, maxOptional: 2, commentChars: 0 },
    { maxChars: 900, optionalDepth: 1, maxOptional: 0, commentChars: 0 },
  ],
}
const USEFUL: DetailLevel = {
  descriptionChars: 100,
  types: [
    { maxChars: 300, optionalDepth: 12, maxOptional: 100, commentChars: 60 },
    { maxChars: 600, optionalDepth: 12, maxOptional: 100, commentChars: 0 },
    { maxChars: 600, optionalDepth: 2, maxOptional: 4, commentChars: 0 },
    { maxChars: 600, optionalDepth: 1, maxOptional: 0, commentChars: 0 },
  ],
}
const SHORT: DetailLevel = {
  descriptionChars: 40,
  types: [{ maxChars: 120, optionalDepth: 1, maxOptional: 0, commentChars: 0 }],
}
const BARE: DetailLevel = {
  descriptionChars: 0,
  types: [{ maxChars: 60, optionalDepth: 0, maxOptional: 0, commentChars: 0 }],
}

/** Each pair has the level of required parameters, then that of optional ones. The most detailed pair is first. */
const DETAIL_LEVELS: readonly (readonly [DetailLevel, DetailLevel])[] = [
  [NEEDED, USEFUL],
  [NEEDED, SHORT],
  [NEEDED, BARE],
  [SHORT, BARE],
]

/** Counted for the JSON around the texts of one parameter. The real JSON has 38 to 56 characters. */
const CHARS_AROUND = 24
const MAX_NAMES = 60
const MAX_NAMES_CHARS = 600

/** `fields` has the required fields first. Reduces the detail until all fit, else returns as many as fit. */
function listWithLimit(fields: readonly Field[], read: ReadSchema, known: WordSet): readonly Shown[] {
  const show = (level: DetailLevel, field: Field) => showField(level, field, read, known)
  for (const [required, optional] of DETAIL_LEVELS) {
    const shown = showUntilFull(MAX_CHARS, fields, (field) => show(field.isRequired ? required : optional, field))
    if (shown.length === fields.length) return shown
  }
  // Required parameters get more room: a call without them fails.
  const required = fields.filter(({ isRequired }) => isRequired)
  const needed = showUntilFull(MAX_CHARS * 2, required, (field) => show(BARE, field))
  const charsLeft = MAX_CHARS - needed.reduce((sum, { chars }) => sum + chars, 0)
  const rest = showUntilFull(charsLeft, fields.slice(required.length), (field) => show(BARE, field))
  return [...needed, ...rest]
}

/** The most detailed type that stays within its own limit, else the last one. */
function fittedType(print: (detail: TypeDetail) => TypeText, types = USEFUL.types): TypeText {
  let last: TypeText = { text: '…', isWhole: false }
  for (const detail of types) {
    last = print(detail)
    if (last.text.length <= detail.maxChars) return last
  }
  return last
}

interface Shown {
  readonly parameter: Parameter
  readonly isWhole: boolean
  readonly chars: number
}

/** As many parameters from the start as fit into the limit together. */
function showUntilFull(maxChars: number, fields: readonly Field[], show: (field: Field) => Shown): readonly Shown[] {
  const shown: Shown[] = []
  let chars = 0
  for (const field of fields) {
    const one = show(field)
    chars += one.chars
    if (chars > maxChars) break
    shown.push(one)
  }
  return shown
}

function showField(level: DetailLevel, field: Field, read: ReadSchema, known: WordSet): Shown {
  const { name, isRequired } = field
  const { text, isWhole } = fittedType((detail) => typeText(field, read, detail), level.types)
  const description = shortDescription(name, read(field.schema), level.descriptionChars, known)
  return {
    parameter: { name, type: text, ...(description === undefined ? {} : { description }), required: isRequired },
    isWhole,
    chars: CHARS_AROUND + name.length + text.length + (description?.length ?? 0),
  }
}
