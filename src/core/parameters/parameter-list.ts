// Lists parameters within a number of characters. The more there are, the less detail the optional ones get.

import { cutLongText } from '../text.ts'
import { shortDescription, type WordSet } from './parameter-description.ts'
import type { Field } from './schema-form.ts'
import type { ReadSchema } from './schema-reader.ts'
import { type TypeDetail, type TypeText, typeText } from './type-text.ts'

export interface Parameter {
  readonly name: string
  /**
   * `integer 1..100 = 20`, `'open'|'closed'`, `{path: string, mode?: string}[]`. type-text.ts documents the grammar.
   */
  readonly type: string
  readonly description?: string
  readonly required: boolean
}

interface ListedParameters {
  readonly parameters: readonly Parameter[]
  readonly isWhole: boolean
  readonly notes: readonly string[]
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

/** Each pair is the level of the required and of the optional parameters. The most detailed pair is first. */
const DETAIL_LEVELS: readonly (readonly [DetailLevel, DetailLevel])[] = [
  [NEEDED, USEFUL],
  [NEEDED, SHORT],
  [NEEDED, BARE],
  [SHORT, BARE],
]

/** About the length of the JSON around the texts of one parameter. */
const CHARS_AROUND = 24
const MAX_NAMES = 60
const MAX_NAMES_CHARS = 600

/** `fields` has the required fields first. If they do not all fit, a note names some of the others. */
export function listWithin(
  maxChars: number,
  fields: readonly Field[],
  read: ReadSchema,
  known: WordSet,
): ListedParameters {
  const show = (level: DetailLevel, field: Field) => showField(level, field, read, known)
  for (const [required, optional] of DETAIL_LEVELS) {
    const shown = showUntilFull(maxChars, fields, (field) => show(field.isRequired ? required : optional, field))
    if (shown.length === fields.length) return toList(shown)
  }
  // Required parameters get more room: a call without them fails.
  const required = fields.filter(({ isRequired }) => isRequired)
  const needed = showUntilFull(maxChars * 2, required, (field) => show(BARE, field))
  const charsLeft = maxChars - needed.reduce((sum, { chars }) => sum + chars, 0)
  const rest = showUntilFull(charsLeft, fields.slice(required.length), (field) => show(BARE, field))
  const shown = [...needed, ...rest]
  const names = new Set(shown.map(({ parameter }) => parameter.name))
  const leftOut = fields.filter(({ name }) => !names.has(name)).map(({ name }) => name)
  const some = cutLongText(leftOut.slice(0, MAX_NAMES).join(', '), MAX_NAMES_CHARS)
  return { ...toList(shown), isWhole: false, notes: [`${leftOut.length} more, such as ${some}.`] }
}

/** The most detailed type that stays within its own limit, else the last one. */
export function fittedType(print: (detail: TypeDetail) => TypeText, types = USEFUL.types): TypeText {
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
    parameter: {
      name,
      type: text,
      ...(description === undefined ? {} : { description }),
      required: isRequired,
    },
    isWhole,
    chars: CHARS_AROUND + name.length + text.length + (description?.length ?? 0),
  }
}

function toList(shown: readonly Shown[]): ListedParameters {
  return {
    parameters: shown.map(({ parameter }) => parameter),
    isWhole: shown.every(({ isWhole }) => isWhole),
    notes: [],
  }
}
