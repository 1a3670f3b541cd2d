// Asks a person for the fields of a schema, one after the other, and asks again until each answer is valid.

import { raise } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import type { SchemaValidator } from '../../../core/json-schema.ts'
import { argumentFields } from '../../../core/parameters/argument-fields.ts'
import type { Field, Form } from '../../../core/parameters/schema-form.ts'
import { createSchemaReader, type ReadSchema } from '../../../core/parameters/schema-reader.ts'
import { firstSentence } from '../../../core/text.ts'
import type { JsonSchema } from '../../../core/tool.ts'
import { type Asker, createAsker } from '../../output/ask.ts'
import type { Paint } from '../../output/output.ts'
import { oneLine, rangeText } from '../../output/text.ts'
import { type Arguments, expectedOf, typedValue } from './read-arguments.ts'

interface Asking {
  readonly asker: Asker
  readonly paint: Paint
  readonly signal: AbortSignal
  /** Left out if the call itself validates the value. */
  readonly validator?: SchemaValidator
}

type FieldAnswer =
  | { readonly kind: 'given'; readonly value: unknown }
  | { readonly kind: 'left out' }
  /** The person ended the input. */
  | { readonly kind: 'ended' }

interface FieldQuestion {
  readonly field: Field
  readonly forms: readonly Form[]
  readonly read: ReadSchema
  readonly choices: readonly FieldChoice[]
  /** The choices for each item of a list. */
  readonly itemChoices: readonly FieldChoice[]
}

type ReadWord = { readonly value: unknown } | { readonly problem: string }

/** Asks for the required arguments of a tool. Rejects when the signal aborts or the person ends the input. */
export async function askArguments(schema: JsonSchema, paint: Paint, signal: AbortSignal): Promise<Arguments> {
  const read = createSchemaReader(schema)
  const required = argumentFields(schema, read).fields.filter(({ isRequired }) => isRequired)
  if (required.length === 0) return {}
  const asker = createAsker()
  const answers: [string, unknown][] = []
  try {
    for (const field of required) {
      const answer = await askField(field, read, { asker, paint, signal })
      if (answer.kind === 'ended') {
        const todo = 'Run the command again and answer the question, or pass the arguments as key=value or with --args.'
        raise('INVALID_ARGUMENTS', { reason: `'${field.name}' was not answered`, command: 'toolcrib execute', todo })
      }
      if (answer.kind === 'given') answers.push([field.name, answer.value])
    }
  } finally {
    asker.close()
  }
  return Object.fromEntries(answers)
}

/** An empty answer means the default, or leaves an optional field out. Rejects when the signal aborts. */
export async function askField(field: Field, read: ReadSchema, asking: Asking): Promise<FieldAnswer> {
  const { asker, paint, signal, validator } = asking
  const question = questionOf(field, read)
  const preset = await validDefault(question, validator)
  const description = describeQuestion(question)
  if (description !== '') process.stderr.write(`${paint.dim(description)}\n`)
  const shown = preset === undefined ? '' : ` [${asTyped(preset, question)}]`
  for (;;) {
    const word = await asker.ask(`${paint.bold(oneLine(field.name))}${shown}: `, signal)
    if (word === undefined) return { kind: 'ended' }
    if (word === '' && preset !== undefined) return { kind: 'given', value: preset }
    if (word === '' && !field.isRequired) return { kind: 'left out' }
    const answer = word === '' ? { problem: 'a value is required' } : await readAnswer(word, question, validator)
    if ('value' in answer) return { kind: 'given', value: answer.value }
    process.stderr.write(`${paint.yellow(`${oneLine(field.name)}: ${answer.problem}`)}\n`)
  }
}

function questionOf(field: Field, read: ReadSchema): FieldQuestion {
  const { forms } = read(field.schema)
  const [list] = forms.filter((form) => form.kind === 'array')
  return {
    field,
    forms,
    read,
    choices: choicesIn(field.schema, forms),
    itemChoices: list === undefined ? [] : choicesIn(list.rest, read(list.rest).forms),
  }
}

/** Undefined without a default, or if the validator finds that the default does not match its own schema. */
async function validDefault({ field, read }: FieldQuestion, validator: SchemaValidator | undefined): Promise<unknown> {
  const { default: preset } = read(field.schema)
  if (preset === undefined || !isRecord(field.schema)) return preset
  const checked = await validator?.validate(field.schema, preset)
  return checked?.ok === false ? undefined : preset
}

/** The value as a person would type it. */
function asTyped(value: unknown, { choices, itemChoices }: FieldQuestion): string {
  const label = (one: unknown, among: readonly FieldChoice[]) => among.find((choice) => choice.value === one)?.label
  if (Array.isArray(value) && value.length > 0) {
    const labels = value.map((one) => label(one, itemChoices))
    if (labels.every((one) => one !== undefined)) return labels.join(', ')
  }
  const chosen = label(value, choices)
  if (chosen !== undefined) return chosen
  if (typeof value === 'boolean') return value ? 'y' : 'n'
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value))
}

/** The title, the description and the accepted values of the field. */
function describeQuestion(question: FieldQuestion): string {
  const { schema, isRequired } = question.field
  const { description = '' } = question.read(schema)
  const accepted = [describeAccepted(question), isRequired ? '' : 'optional'].filter(Boolean).join(', ')
  return [titleOf(question.field), firstSentence(description), accepted].filter(Boolean).map(oneLine).join('; ')
}

/** Empty if the title equals the name. */
function titleOf({ name, schema }: Field): string {
  const title = isRecord(schema) && typeof schema.title === 'string' ? schema.title : ''
  return title.toLowerCase() === name.toLowerCase() ? '' : title
}

/** Empty if any text is accepted. */
function describeAccepted({ forms, choices, itemChoices }: FieldQuestion): string {
  if (choices.length > 0) return `one of ${labelsOf(choices)}`
  if (itemChoices.length > 0) return `some of ${labelsOf(itemChoices)}, separated by commas`
  const [text] = forms.filter((form) => form.kind === 'string')
  if (text !== undefined) return rangeText(text.length, 'character')
  return forms.some(({ kind }) => kind === 'any') ? '' : describeForms(forms)
}

function labelsOf(choices: readonly FieldChoice[]): string {
  return choices.map(({ label }) => label).join(', ')
}

function describeForms(forms: readonly Form[]): string {
  return forms.map(describeForm).join(' or ')
}

function describeForm(form: Form): string {
  if (form.kind === 'boolean') return 'y or n'
  const range = form.kind === 'integer' || form.kind === 'number' ? rangeText(form) : ''
  return `${expectedOf([form])}${range === '' ? '' : `, ${range}`}`
}

async function readAnswer(
  word: string,
  question: FieldQuestion,
  validator: SchemaValidator | undefined,
): Promise<ReadWord> {
  const { schema } = question.field
  const answer = readWord(word, question)
  if ('problem' in answer) return answer
  const checked = isRecord(schema) ? await validator?.validate(schema, answer.value) : undefined
  if (checked?.ok !== false) return answer
  // The caller prints the name of the field before this message.
  const problems = checked.issues.map(({ path, message, text = message }) => (path === '' ? text : message))
  return { problem: oneLine(problems.join('; ')) }
}

function readWord(word: string, { forms, read, choices, itemChoices }: FieldQuestion): ReadWord {
  if (choices.length > 0) {
    const chosen = choiceOf(word, choices)
    return chosen === undefined ? { problem: `enter one of ${labelsOf(choices)}` } : { value: chosen.value }
  }
  const hasText = forms.some(({ kind }) => kind === 'string')
  if (itemChoices.length > 0 && !word.trim().startsWith('[')) {
    const chosen = choicesOf(word, itemChoices)
    if (chosen !== undefined) return { value: chosen.map(({ value }) => value) }
    return { problem: `enter some of ${labelsOf(itemChoices)}, separated by commas` }
  }
  const yes = hasText || !forms.some(({ kind }) => kind === 'boolean') ? undefined : yesOrNo(word)
  if (yes !== undefined) return { value: yes }
  const typed = typedValue(word, forms, read)
  return typed.ok ? { value: typed.value } : { problem: `enter ${describeForms(forms)}` }
}

function yesOrNo(word: string): boolean | undefined {
  if (/^\s*(?:y|yes|true)\s*$/i.test(word)) return true
  return /^\s*(?:n|no|false)\s*$/i.test(word) ? false : undefined
}

interface FieldChoice {
  readonly value: unknown
  /** The text that is shown and typed: the title, followed by the value if two choices share a title. */
  readonly label: string
}

/** Returns no choices if the schema accepts other values too. `forms` are the forms of `schema`. */
export function choicesIn(schema: unknown, forms: readonly Form[]): readonly FieldChoice[] {
  const values = forms.flatMap((form) => (form.kind === 'literal' ? [form.value] : []))
  if (values.length < forms.length) return []
  const titles = titlesIn(schema)
  const labels = values.map((value) => titles.get(value) ?? oneLine(String(value)))
  return values.map((value, at) => {
    const label = labels[at] ?? ''
    const isShared = labels.filter((other) => isAlike(other, label)).length > 1
    return { value, label: isShared ? `${label} (${oneLine(String(value))})` : label }
  })
}

/** Matches the label, then the value, then the label in upper or lower case. */
export function choiceOf(word: string, choices: readonly FieldChoice[]): FieldChoice | undefined {
  const typed = word.trim()
  return (
    choices.find(({ label }) => label === typed) ??
    choices.find(({ value }) => String(value) === typed) ??
    choices.find(({ label }) => isAlike(label, typed))
  )
}

/** Reads a comma-separated list; a title may contain commas. Undefined if a part is not a choice. */
export function choicesOf(word: string, choices: readonly FieldChoice[]): readonly FieldChoice[] | undefined {
  const parts = word.split(',')
  const found: FieldChoice[] = []
  for (let at = 0; at < parts.length; ) {
    const ends = parts.map((_, end) => end + 1).filter((end) => end > at)
    const matches = ends.map((end) => ({ end, choice: choiceOf(parts.slice(at, end).join(','), choices) }))
    const longest = matches.findLast(({ choice }) => choice !== undefined)
    if (longest?.choice === undefined) return undefined
    found.push(longest.choice)
    at = longest.end
  }
  return found
}

function isAlike(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** Reads `oneOf` and `anyOf` with a `const` and a `title` each, and `enumNames` beside an `enum`. */
function titlesIn(schema: unknown): ReadonlyMap<unknown, string> {
  if (!isRecord(schema)) return new Map()
  const titles = new Map<unknown, string>()
  const add = (value: unknown, title: unknown) => {
    if (typeof title === 'string' && title.trim() !== '') titles.set(value, oneLine(title).trim())
  }
  for (const one of [schema.oneOf, schema.anyOf].flatMap((list) => (Array.isArray(list) ? list : []))) {
    if (isRecord(one) && Object.hasOwn(one, 'const')) add(one.const, one.title)
  }
  const { enum: values, enumNames: names } = schema
  if (Array.isArray(values) && Array.isArray(names)) for (const [at, value] of values.entries()) add(value, names[at])
  return titles
}
