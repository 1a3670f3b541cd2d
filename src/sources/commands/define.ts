// defineCommand: a command has a name, a zod schema and a handler. All other fields are optional metadata.

import { z } from 'zod'
import type { CommandContext } from '../../core/call.ts'
import {
  aFlag,
  aFunction,
  aListOf,
  anObject,
  aText,
  type Check,
  expecting,
  type FieldFault,
  findFieldFault,
  oneOf,
} from '../../core/check-fields.ts'
import { raise, ToolcribError } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { DEFAULT_PREFIX } from '../../core/names.ts'
import { findNotJson } from '../../core/not-json.ts'
import type { CommandResult } from '../../core/result.ts'
import { toInputSchema } from '../../core/schema.ts'
import { messageOf } from '../../core/text.ts'
import type { JsonSchema, ToolExample, ToolTraits, Validation } from '../../core/tool.ts'
import { validateWith } from '../../core/validate.ts'

/** Where a command may be offered. The commands of a server are always offered by that server. */
export interface ExposeOptions {
  readonly palette?: boolean
  readonly mcp?: boolean
  readonly agent?: boolean
  readonly cli?: boolean
}

export interface CommandOptions<I extends z.core.$ZodType, O extends z.core.$ZodType>
  extends Omit<ToolTraits, 'examples'> {
  /** 1 to 128 letters, digits, `_`, `-` or `.`, unique in a server. The prefix `afd-` is reserved. */
  readonly name: string
  /** Discovery shows the first sentence. */
  readonly description: string
  /** Default: the first segment of the name. */
  readonly category?: string
  readonly tags?: readonly string[]
  readonly title?: string
  readonly examples?: readonly (Omit<ToolExample, 'input'> & { readonly input: z.input<I> })[]
  readonly expose?: ExposeOptions
  readonly input: I
  readonly output?: O
  handler(input: z.output<I>, context: CommandContext): Promise<CommandResult<z.output<O>>> | CommandResult<z.output<O>>
}

/** A defined command. Its input type is erased, so that different commands fit into one list. */
export interface Command extends ToolTraits {
  readonly name: string
  readonly description: string
  readonly category?: string
  readonly tags?: readonly string[]
  readonly title?: string
  readonly expose: ExposeOptions
  readonly input: z.core.$ZodType
  readonly output?: z.core.$ZodType
  readonly inputSchema: JsonSchema
  /** Part of toolcrib itself. Such names are reserved. */
  readonly builtin?: boolean
  /** See ToolEntry. Only commands of toolcrib itself set it. */
  readonly needsSession?: boolean
  /** `unknown` on both sides: the dispatcher validates the input and checks the result. */
  handler(input: unknown, context: CommandContext): Promise<unknown>
}

/** The tool names that MCP allows. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/

export function defineCommand<I extends z.core.$ZodType, O extends z.core.$ZodType = z.core.$ZodType>(
  options: CommandOptions<I, O>,
): Command {
  if (isRecord(options)) checkNotReserved(options.name, DEFAULT_PREFIX)
  return buildCommand(options)
}

/** A command of toolcrib itself: it may use the reserved prefix, and it runs without the author's middleware. */
export function defineBuiltin<I extends z.core.$ZodType, O extends z.core.$ZodType = z.core.$ZodType>(
  options: CommandOptions<I, O>,
): Command {
  return { ...buildCommand(options), builtin: true }
}

/** For JavaScript callers, which can pass any value. */
export const aCommand: Check = expecting(
  'the result of defineCommand()',
  (value) =>
    isRecord(value) &&
    typeof value.name === 'string' &&
    typeof value.handler === 'function' &&
    value.inputSchema !== undefined,
)

export function checkNotReserved(name: string, prefix: string): void {
  if (!String(name).startsWith(`${prefix}-`)) return
  raise('INVALID_COMMAND', {
    name,
    reason: `names that start with '${prefix}-' belong to the server's own tools`,
    todo: `Choose another first word than '${prefix}'.`,
  })
}

/** Accepts schemas of zod and of zod/mini. */
function buildCommand<I extends z.core.$ZodType, O extends z.core.$ZodType>(options: CommandOptions<I, O>): Command {
  checkShape(options)
  const { handler, examples, expose = {}, ...rest } = options
  const inputSchema = describeInput(options)
  if (inputSchema.type !== 'object') {
    raise('INVALID_COMMAND', {
      name: options.name,
      reason: 'its input is not an object',
      todo: 'Wrap it: input: z.object({ … }).',
    })
  }
  examples?.forEach((example, index) => {
    const problem = problemOf(example, options.input)
    if (problem === undefined) return
    raise('INVALID_COMMAND', {
      name: options.name,
      reason: `example ${index + 1} ${problem}`,
      todo: 'Correct the example or the schema.',
    })
  })
  return {
    ...rest,
    // The schema describes objects (checked above), so every input it accepts is a record.
    ...(examples === undefined ? {} : { examples: examples as readonly ToolExample[] }),
    expose,
    inputSchema,
    // The dispatcher has parsed the input with the schema of this command.
    handler: async (input, context) => handler(input as z.output<I>, context),
  }
}

/** Returns the JSON Schema of the input, or raises INVALID_COMMAND if a client could not send such an input. */
function describeInput({ name, input }: CommandOptions<z.core.$ZodType, z.core.$ZodType>): JsonSchema {
  try {
    const found = findNotJson(input)
    if (found === undefined) return toInputSchema(input)
    const where = found.path === '' ? 'its input' : `\`${found.path}\` of its input`
    return raise('INVALID_COMMAND', {
      name,
      reason: `${where} is a ${found.type}, which JSON cannot carry`,
      todo: `Use ${found.instead}.`,
    })
  } catch (error) {
    if (error instanceof ToolcribError) throw error
    return raise('INVALID_COMMAND', {
      name,
      reason: `its input has no JSON Schema: ${messageOf(error)}`,
      todo: 'Correct the part of the schema that zod names.',
    })
  }
}

function problemOf(example: { readonly input: unknown }, type: z.core.$ZodType): string | undefined {
  try {
    // Examples are sent to clients, so they must be valid JSON.
    JSON.stringify(example)
    const checked = checkNow(type, example.input)
    return checked.ok ? undefined : `does not match its input: ${checked.issues[0]?.message ?? 'invalid'}`
  } catch (error) {
    return `cannot be used: ${messageOf(error)}`
  }
}

/** An asynchronous schema cannot be checked here, so its examples are accepted unchecked. */
function checkNow(type: z.core.$ZodType, input: unknown): Validation {
  try {
    return validateWith(type, input)
  } catch (error) {
    if (error instanceof z.core.$ZodAsyncError) return { ok: true, value: input }
    throw error
  }
}

const isZod = (value: unknown) => isRecord(value) && typeof value.safeParse === 'function' && '_zod' in value
const texts = aListOf(aText, 'texts')

const EXPOSE = { palette: aFlag, mcp: aFlag, agent: aFlag, cli: aFlag } satisfies Record<keyof ExposeOptions, Check>

const FIELDS = {
  name: aText,
  description: aText,
  category: aText,
  tags: texts,
  title: aText,
  version: aText,
  mutation: aFlag,
  destructive: aFlag,
  confirmPrompt: aText,
  executionTime: oneOf('instant', 'fast', 'slow', 'long-running'),
  errors: texts,
  requires: texts,
  examples: aListOf(anObject, 'objects'),
  contexts: texts,
  handoff: aFlag,
  handoffProtocol: aText,
  expose: anObject,
  input: anObject,
  output: expecting('a zod schema', isZod),
  handler: aFunction,
} satisfies Record<keyof CommandOptions<z.core.$ZodType, z.core.$ZodType>, Check>

/** Checks for JavaScript callers what TypeScript checks at compile time. */
function checkShape(options: CommandOptions<z.core.$ZodType, z.core.$ZodType>): void {
  const name = isRecord(options) ? String(options.name) : ''
  const wrong = (reason: string, todo: string) => raise('INVALID_COMMAND', { name, reason, todo })
  const refuse = (fault: FieldFault | undefined, inside = '') => {
    if (fault === undefined) return
    const where = `${inside}${fault.field === undefined ? '' : `${inside && '.'}${fault.field}`}`
    wrong(where === '' ? fault.reason : `\`${where}\`: ${fault.reason}`, fault.todo)
  }
  if (!isRecord(options)) refuse(findFieldFault(options, FIELDS))
  if (typeof options.name !== 'string' || !NAME.test(name)) {
    wrong('its name is not one that MCP allows', "Use 1 to 128 letters, digits, '_', '-' or '.', like 'order-create'.")
  }
  if (typeof options.description !== 'string' || options.description.trim() === '') {
    wrong('it has no description', 'Describe in one sentence what it does; agents choose commands by it.')
  }
  if (!isZod(options.input)) wrong('`input` is not a zod schema', 'Give input: z.object({ … }), with zod 4.')
  if (typeof options.handler !== 'function') wrong('it has no handler', 'Give handler(input, context).')
  // A command made from another one (`{ ...other, name }`) also copies its derived fields, which are made again.
  const {
    inputSchema: _made,
    builtin: _own,
    needsSession: _session,
    ...stated
  } = options as typeof options & Partial<Command>
  refuse(findFieldFault(stated, FIELDS))
  refuse(findFieldFault(options.expose ?? {}, EXPOSE), 'expose')
}
