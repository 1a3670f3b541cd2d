// Asks a person for each required argument of a tool, one after the other.

import { raise } from '../../../core/errors.ts'
import { argumentFields } from '../../../core/parameters/argument-fields.ts'
import { createSchemaReader } from '../../../core/parameters/schema-reader.ts'
import type { JsonSchema } from '../../../core/tool.ts'
import { createAsker } from '../../output/asker.ts'
import type { Paint } from '../../output/output.ts'
import { askField } from './ask-field.ts'
import type { Arguments } from './read-arguments.ts'

/** Rejects when the signal aborts or the person ends the input. */
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
        raise('INVALID_ARGUMENTS', { reason: `'${field.name}' was not answered`, command: 'toolcrib execute' })
      }
      if (answer.kind === 'given') answers.push([field.name, answer.value])
    }
  } finally {
    asker.close()
  }
  return Object.fromEntries(answers)
}
