// Finds the values that a person can choose from for a field, with the titles from its schema, and matches an answer.

import { isRecord } from '../../../core/is-record.ts'
import type { Form } from '../../../core/parameters/schema-form.ts'
import { oneLine } from '../../output/text.ts'

export interface FieldChoice {
  readonly value: unknown
  /** The text that is shown and typed: the title, followed by the value if two choices share a title. */
  readonly label: string
}

/** `forms` are the forms of `schema`. Empty if the schema accepts other values too. */
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

/** Matches the label, then the value, then the label in any case. */
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
