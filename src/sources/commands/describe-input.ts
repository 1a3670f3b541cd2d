// The JSON Schema of the input of a command, and the check of its examples.

import type { z } from 'zod'
import { raise, ToolcribError } from '../../core/errors.ts'
import { findNotJson, toInputSchema } from '../../core/schema.ts'
import { messageOf } from '../../core/text.ts'
import type { JsonSchema, Validation } from '../../core/tool.ts'
import {
  isZod,
  type StandardSchema,
  toStandardInputSchema,
  validateStandardNow,
  validateWith,
} from '../../core/validate.ts'

/**
 * Returns the JSON Schema of the input, or raises INVALID_COMMAND if there is none, or if no client could send such
 * an input.
 */
export function describeInput(name: string, input: StandardSchema): JsonSchema {
  const refuse = (reason: string, todo: string) => raise('INVALID_COMMAND', { name, reason, todo })
  try {
    if (!isZod(input)) return toStandardInputSchema(input) ?? refuse(...explainMissingSchema(input['~standard'].vendor))
    const found = findNotJson(input)
    if (found === undefined) return toInputSchema(input)
    const where = found.path === '' ? 'its input' : `\`${found.path}\` of its input`
    return refuse(`${where} is a ${found.type}, which JSON cannot represent`, `Use ${found.instead}.`)
  } catch (error) {
    if (error instanceof ToolcribError) throw error
    return refuse(
      `its input has no JSON Schema: ${messageOf(error)}`,
      `Correct the part of the schema that ${input['~standard'].vendor} names.`,
    )
  }
}

/** The reason to refuse a schema that offers no JSON Schema, and the next step. */
function explainMissingSchema(vendor: string): readonly [string, string] {
  const reason = `its input schema, of ${vendor}, offers no JSON Schema`
  if (vendor === 'zod') return [reason, 'Use zod 4.']
  if (vendor === 'valibot') {
    return [reason, 'Give input: toStandardJsonSchema(schema), with toStandardJsonSchema of @valibot/to-json-schema.']
  }
  return [
    reason,
    `Use a version of ${vendor} with Standard JSON Schema (\`~standard.jsonSchema\`), or a schema of zod 4 or arktype.`,
  ]
}

/** The reason why an example cannot be used. Undefined if it can, or if the schema is asynchronous. */
export function findExampleFault(
  example: { readonly input: unknown },
  schema: StandardSchema,
  inputSchema: JsonSchema,
): string | undefined {
  try {
    // Examples are sent to clients, so they must be valid JSON.
    JSON.stringify(example)
    const checked = isZod(schema)
      ? validateZodNow(schema, example.input)
      : validateStandardNow(schema, example.input, inputSchema)
    if (checked === undefined || checked.ok) return undefined
    return `does not match the input schema: ${checked.issues[0]?.message ?? 'invalid'}`
  } catch (error) {
    return `cannot be used: ${messageOf(error)}`
  }
}

/** Undefined if the schema is asynchronous: it cannot be checked here, so its examples are accepted unchecked. */
function validateZodNow(schema: z.core.$ZodType, input: unknown): Validation | undefined {
  try {
    return validateWith(schema, input)
  } catch (error) {
    // `instanceof` would not work, because the author may use another copy of zod.
    if (error instanceof Error && error.constructor.name === '$ZodAsyncError') return undefined
    throw error
  }
}
