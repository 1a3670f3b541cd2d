// Asks a person for each required parameter, one after the other.

import { raise } from '../../core/errors.ts'
import { argumentFields } from '../../core/parameters/argument-fields.ts'
import type { Field, Form } from '../../core/parameters/schema-form.ts'
import { createSchemaReader, type ReadSchema } from '../../core/parameters/schema-reader.ts'
import { firstSentence } from '../../core/text.ts'
import type { JsonSchema } from '../../core/tool.ts'
import { type Asker, createAsker } from '../output/asker.ts'
import type { Paint } from '../output/output.ts'
import { oneLine } from '../output/text.ts'
import type { Arguments } from './read-arguments.ts'
import { typedValue } from './typed-value.ts'

/** Rejects when the signal aborts. */
export async function askArguments(schema: JsonSchema, paint: Paint, signal: AbortSignal): Promise<Arguments> {
  const read = createSchemaReader(schema)
  const required = argumentFields(schema, read).fields.filter(({ isRequired }) => isRequired)
  if (required.length === 0) return {}
  const asker = createAsker()
  const answers: [string, unknown][] = []
  try {
    for (const field of required) answers.push([field.name, await askOne(field, read, { asker, paint, signal })])
  } finally {
    asker.close()
  }
  return Object.fromEntries(answers)
}

interface Asking {
  readonly asker: Asker
  readonly paint: Paint
  readonly signal: AbortSignal
}

async function askOne({ name, schema }: Field, read: ReadSchema, { asker, paint, signal }: Asking): Promise<unknown> {
  const { forms, description = '' } = read(schema)
  const choices = choicesOf(forms)
  const hint = [firstSentence(description), choices.length === 0 ? '' : `one of ${choices.join(', ')}`]
  const about = hint.filter(Boolean).map(oneLine).join('; ')
  if (about !== '') process.stderr.write(`${paint.dim(about)}\n`)
  for (;;) {
    const word = await asker.ask(`${paint.bold(oneLine(name))}: `, signal)
    if (word === undefined) {
      return raise('INVALID_ARGUMENTS', { reason: `'${name}' was not answered`, command: 'toolcrib execute' })
    }
    const expected = expectedOf(word, forms, choices, read)
    if (expected === undefined) {
      const typed = typedValue(word, forms, read)
      return typed.ok ? typed.value : word
    }
    process.stderr.write(`${paint.yellow(`It takes ${expected}.`)}\n`)
  }
}

/** What would have been right; undefined where it is. */
function expectedOf(
  word: string,
  forms: readonly Form[],
  choices: readonly string[],
  read: ReadSchema,
): string | undefined {
  if (choices.length > 0 && choices.length === forms.length && !choices.includes(word))
    return `one of ${choices.join(', ')}`
  if (word === '' && !forms.some(({ kind }) => kind === 'string')) return 'a value'
  const typed = typedValue(word, forms, read)
  return typed.ok ? undefined : typed.expected
}

function choicesOf(forms: readonly Form[]): readonly string[] {
  return forms.flatMap((form) => (form.kind === 'literal' ? [String(form.value)] : []))
}
