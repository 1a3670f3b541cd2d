// Asks a person for one field of a schema, until the answer fits.

import type { SchemaValidator } from '../../core/json-schema.ts'
import type { Field, Form } from '../../core/parameters/schema-form.ts'
import type { ReadSchema } from '../../core/parameters/schema-reader.ts'
import { isRecord } from '../../core/schema.ts'
import { firstSentence } from '../../core/text.ts'
import type { Asker } from '../output/asker.ts'
import type { Paint } from '../output/output.ts'
import { oneLine } from '../output/text.ts'
import { expectedOf, typedValue } from './typed-value.ts'

export interface Asking {
  readonly asker: Asker
  readonly paint: Paint
  readonly signal: AbortSignal
  /** Where nobody else says what is wrong with an answer. */
  readonly validator?: SchemaValidator
}

export type FieldAnswer =
  | { readonly kind: 'given'; readonly value: unknown }
  | { readonly kind: 'left out' }
  /** No answer will come any more. */
  | { readonly kind: 'over' }

/** An empty answer is the default, where there is one, and leaves out what is optional. Rejects when the signal aborts. */
export async function askField(field: Field, read: ReadSchema, asking: Asking): Promise<FieldAnswer> {
  const { asker, paint, signal } = asking
  const { default: preset } = read(field.schema)
  const about = aboutOf(field, read)
  if (about !== '') process.stderr.write(`${paint.dim(about)}\n`)
  const shown =
    preset === undefined ? '' : ` [${oneLine(typeof preset === 'string' ? preset : JSON.stringify(preset))}]`
  for (;;) {
    const word = await asker.ask(`${paint.bold(oneLine(field.name))}${shown}: `, signal)
    if (word === undefined) return { kind: 'over' }
    if (word === '' && preset !== undefined) return { kind: 'given', value: preset }
    if (word === '' && !field.isRequired) return { kind: 'left out' }
    const answer = await readAnswer(word, field, read, asking)
    if ('value' in answer) return { kind: 'given', value: answer.value }
    process.stderr.write(`${paint.yellow(answer.problem)}\n`)
  }
}

function aboutOf({ schema, isRequired }: Field, read: ReadSchema): string {
  const { forms, description = '' } = read(schema)
  const takes = [takenBy(forms, read), isRequired ? '' : 'optional'].filter(Boolean).join(', ')
  return [firstSentence(description), takes].filter(Boolean).map(oneLine).join('; ')
}

/** Any text needs no words. */
function takenBy(forms: readonly Form[], read: ReadSchema): string {
  const choices = choicesOf(forms)
  if (choices.length > 0) return `one of ${choices.join(', ')}`
  const items = forms.flatMap((form) => (form.kind === 'array' ? choicesOf(read(form.rest).forms) : []))
  if (items.length > 0) return `some of ${items.join(', ')}, with commas between`
  return forms.some(({ kind }) => kind === 'string' || kind === 'any') ? '' : expectedOf(forms)
}

async function readAnswer(
  word: string,
  { schema }: Field,
  read: ReadSchema,
  { validator }: Asking,
): Promise<{ readonly value: unknown } | { readonly problem: string }> {
  const { forms } = read(schema)
  const choices = choicesOf(forms)
  if (choices.length > 0 && choices.length === forms.length && !choices.includes(word)) {
    return { problem: `It takes one of ${choices.join(', ')}.` }
  }
  if (word === '' && !forms.some(({ kind }) => kind === 'string')) return { problem: 'It takes a value.' }
  const typed = typedValue(word, forms, read)
  if (!typed.ok) return { problem: `It takes ${typed.expected}.` }
  const checked = isRecord(schema) ? await validator?.validate(schema, typed.value) : undefined
  if (checked?.ok !== false) return { value: typed.value }
  return { problem: oneLine(checked.issues.map(({ message }) => message).join('; ')) }
}

function choicesOf(forms: readonly Form[]): readonly string[] {
  return forms.flatMap((form) => (form.kind === 'literal' ? [oneLine(String(form.value))] : []))
}
