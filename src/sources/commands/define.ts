// defineCommand: a command is a name, a zod schema and a handler; everything else says more about it.

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
import { raise } from '../../core/errors.ts'
import type { CommandResult } from '../../core/result.ts'
import { isRecord, toInputSchema } from '../../core/schema.ts'
import type { JsonSchema, ToolExample, ToolTraits, Validation } from '../../core/tool.ts'
import { validateWith } from '../../core/validate.ts'

/** Where a command may be offered. For a server's own `commands` being in that list is enough. */
export interface ExposeOptions {
  readonly palette?: boolean
  readonly mcp?: boolean
  readonly agent?: boolean
  readonly cli?: boolean
}

export interface CommandOptions<I extends z.ZodType, O extends z.ZodType> extends Omit<ToolTraits, 'examples'> {
  /** Kebab-case, unique in a server; `afd-` is reserved. */
  readonly name: string
  /** The first sentence is what discovery shows. */
  readonly description: string
  /** Without one, the first segment of the name. */
  readonly category?: string
  readonly tags?: readonly string[]
  readonly title?: string
  readonly examples?: readonly (Omit<ToolExample, 'input'> & { readonly input: z.input<I> })[]
  readonly expose?: ExposeOptions
  readonly input: I
  readonly output?: O
  handler(input: z.output<I>, context: CommandContext): Promise<CommandResult<z.output<O>>> | CommandResult<z.output<O>>
}

/** A defined command, its input type forgotten so that different ones fit one list. */
export interface Command extends ToolTraits {
  readonly name: string
  readonly description: string
  readonly category?: string
  readonly tags?: readonly string[]
  readonly title?: string
  readonly expose: ExposeOptions
  readonly input: z.ZodType
  readonly output?: z.ZodType
  readonly inputSchema: JsonSchema
  /** Part of toolcrib itself, whose names are reserved. */
  readonly builtin?: boolean
  /** `unknown` on both sides: the dispatcher parses what goes in and checks what comes out. */
  handler(input: unknown, context: CommandContext): Promise<unknown>
}

/** The first word of the server's own tools, unless a server chooses another. */
export const DEFAULT_PREFIX = 'afd'
const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const MAX_NAME_LENGTH = 64

export function defineCommand<I extends z.ZodType, O extends z.ZodType = z.ZodType>(
  options: CommandOptions<I, O>,
): Command {
  if (isRecord(options)) checkNotReserved(options.name, DEFAULT_PREFIX)
  return buildCommand(options)
}

/** A command of toolcrib itself: the reserved prefix is allowed, and it runs outside the author's middleware. */
export function defineBuiltin<I extends z.ZodType, O extends z.ZodType = z.ZodType>(
  options: CommandOptions<I, O>,
): Command {
  return { ...buildCommand(options), builtin: true }
}

/** A value of a program without types may be anything. */
export const aCommand: Check = expecting(
  'what defineCommand gave',
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

function buildCommand<I extends z.ZodType, O extends z.ZodType>(options: CommandOptions<I, O>): Command {
  checkShape(options)
  const { handler, examples, expose = {}, ...rest } = options
  const inputSchema = toInputSchema(options.input)
  if (inputSchema.type !== 'object') {
    raise('INVALID_COMMAND', {
      name: options.name,
      reason: 'its input is not an object',
      todo: 'Wrap it: input: z.object({ … }).',
    })
  }
  examples?.forEach((example, index) => {
    const checked = checkNow(options.input, example.input)
    if (checked.ok) return
    const [first] = checked.issues
    raise('INVALID_COMMAND', {
      name: options.name,
      reason: `example ${index + 1} does not match its input: ${first?.message ?? 'invalid'}`,
      todo: 'Correct the example or the schema.',
    })
  })
  return {
    ...rest,
    // The schema describes objects (checked above), so every input it accepted is a record.
    ...(examples === undefined ? {} : { examples: examples as readonly ToolExample[] }),
    expose,
    inputSchema,
    // The dispatcher has parsed the input with this command's own schema.
    handler: async (input, context) => handler(input as z.output<I>, context),
  }
}

/** A schema that waits cannot be asked here; its examples are the author's word. */
function checkNow(type: z.ZodType, input: unknown): Validation {
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
} satisfies Record<keyof CommandOptions<z.ZodType, z.ZodType>, Check>

/** What TypeScript would have caught, for those who write JavaScript. */
function checkShape(options: CommandOptions<z.ZodType, z.ZodType>): void {
  const name = isRecord(options) ? String(options.name) : ''
  const wrong = (reason: string, todo: string) => raise('INVALID_COMMAND', { name, reason, todo })
  const refuse = (fault: FieldFault | undefined, inside = '') => {
    if (fault === undefined) return
    const where = `${inside}${fault.field === undefined ? '' : `${inside && '.'}${fault.field}`}`
    wrong(where === '' ? fault.reason : `\`${where}\`: ${fault.reason}`, fault.todo)
  }
  if (!isRecord(options)) refuse(findFieldFault(options, FIELDS))
  if (typeof options.name !== 'string' || !KEBAB_CASE.test(name)) {
    wrong('its name is not kebab-case', "Use lower-case words joined by hyphens, like 'order-create'.")
  }
  if (name.length > MAX_NAME_LENGTH) {
    wrong(`its name is longer than ${MAX_NAME_LENGTH} characters`, 'Shorten it; many clients stop there.')
  }
  if (typeof options.description !== 'string' || options.description.trim() === '') {
    wrong('it has no description', 'Say in one sentence what it does; that is what agents choose by.')
  }
  if (!isZod(options.input)) wrong('`input` is not a zod schema', 'Give input: z.object({ … }), with zod 4.')
  if (typeof options.handler !== 'function') wrong('it has no handler', 'Give handler(input, context).')
  // A command made from another (`{ ...other, name }`) brings what was made of it, which is made anew.
  const { inputSchema: _made, builtin: _own, ...stated } = options as typeof options & Partial<Command>
  refuse(findFieldFault(stated, FIELDS))
  refuse(findFieldFault(options.expose ?? {}, EXPOSE), 'expose')
}
