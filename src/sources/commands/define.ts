// defineCommand: a command has a name, a description, an input schema and a handler. All other fields are optional.

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
import { isRecord } from '../../core/is-record.ts'
import { DEFAULT_PREFIX } from '../../core/names.ts'
import type { CommandResult, SuccessResult } from '../../core/result.ts'
import type { JsonSchema, ToolExample, ToolTraits } from '../../core/tool.ts'
import {
  type InferInput,
  type InferOutput,
  type InputSchema,
  isStandardSchema,
  isZod,
  type StandardSchema,
} from '../../core/validate.ts'
import { describeInput, findExampleFault } from './describe-input.ts'

/** Where a command may be offered. The commands of a server are always offered by that server. */
export interface ExposeOptions {
  /** For people, in a command palette. Default: true. */
  readonly palette?: boolean
  /** For MCP clients. Default: false. */
  readonly mcp?: boolean
  /** For agents in the same process. Default: true. */
  readonly agent?: boolean
  /** For a command line. Default: false. */
  readonly cli?: boolean
}

/** The argument of `defineCommand`. `I` and `O` are its schemas, and `Returned` is the return type of its handler. */
export interface CommandOptions<
  I extends InputSchema,
  O extends StandardSchema,
  Name extends string = string,
  Returned = HandlerResult<O>,
> extends Omit<ToolTraits, 'examples'> {
  /** 1 to 128 letters, digits, `_`, `-` or `.`, unique in a server. The prefix `afd-` is reserved. */
  readonly name: Name
  /** Discovery shows the first sentence. */
  readonly description: string
  /** Default: derived from the name. For a kebab-case name such as `todo-add`, it is the first word. */
  readonly category?: string
  /** Words for filters and searches. Default: none. */
  readonly tags?: readonly string[]
  /** A name for people. Clients may show it instead of the name. */
  readonly title?: string
  /** Examples of calls. Each input must match the schema. */
  readonly examples?: readonly (Omit<ToolExample, 'input'> & { readonly input: InferInput<I> })[]
  /** Affects only `listByExposure` of a registry: a server offers all of its commands. */
  readonly expose?: ExposeOptions
  /** A schema of zod 4, zod/mini or arktype, or any Standard Schema that can be written as JSON Schema. */
  readonly input: I
  /** Any Standard Schema. Data that does not match it is delivered with a warning. */
  readonly output?: O
  /**
   * Runs the command with the validated input. Returns `success(data)` or `failure(error)`; a thrown error is a
   * failure, too.
   */
  handler(input: InferOutput<I>, context: CommandContext): Returned
}

type HandlerResult<O extends StandardSchema> = Promise<CommandResult<InferOutput<O>>> | CommandResult<InferOutput<O>>

/** The type of the data in a successful result. */
type DataOf<Returned> = Awaited<Returned> extends infer R ? (R extends SuccessResult<infer Data> ? Data : never) : never

/**
 * A defined command. `Command` without type arguments is any command, so that different commands fit into one list.
 * `Input` is the type that callers pass, and `Data` that of the data in a successful result.
 */
export interface Command<Name extends string = string, Input = unknown, Data = unknown> extends ToolTraits {
  /** The name that clients call. */
  readonly name: Name
  /** The purpose of the command. */
  readonly description: string
  /** The category that the author declares. */
  readonly category?: string
  /** Words for filters and searches. */
  readonly tags?: readonly string[]
  /** A name for people. */
  readonly title?: string
  /** Where the command may be offered. */
  readonly expose: ExposeOptions
  /** The schema that validates the input. */
  readonly input: InputSchema<Input, unknown>
  /** The schema that the data is compared with. */
  readonly output?: StandardSchema
  /** The JSON Schema of the input. */
  readonly inputSchema: JsonSchema
  /** True for a command of toolcrib itself, which may use the reserved prefix. */
  readonly builtin?: boolean
  /** See ToolEntry. Only commands of toolcrib itself set it. */
  readonly needsSession?: boolean
  /** The dispatcher validates the input and checks the result, because a handler in JavaScript has no types. */
  handler(input: unknown, context: CommandContext): Promise<CommandResult<Data>>
}

/** The tool names that MCP allows. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/

/**
 * Defines a command: a tool with a name, a description, an input schema and a handler. The types of the handler are
 * inferred from the schema. Raises INVALID_COMMAND if a field is invalid, or if a client could not call the command.
 *
 * @example
 * ```ts
 * const get = defineCommand({
 *   name: 'todo-get',
 *   description: 'Show one todo.',
 *   mutation: false,
 *   input: z.object({ id: z.int() }),
 *   handler: ({ id }) =>
 *     id === 1 ? success({ id, text: 'Buy milk' }) : failure({ code: 'TODO_NOT_FOUND', message: `No todo ${id}` }),
 * })
 * ```
 */
export function defineCommand<
  I extends InputSchema,
  O extends StandardSchema = StandardSchema,
  const Name extends string = string,
  Returned extends HandlerResult<O> = HandlerResult<O>,
>(options: CommandOptions<I, O, Name, Returned>): Command<Name, InferInput<I>, DataOf<Returned>> {
  if (isRecord(options)) checkNotReserved(options.name, DEFAULT_PREFIX)
  return buildCommand(options)
}

/** A command of toolcrib itself: it may use the reserved prefix, and it runs without the author's middleware. */
export const defineBuiltin: typeof defineCommand = (options) => ({ ...buildCommand(options), builtin: true })

/** Checks that a value is a command, because JavaScript callers can pass any value. */
export const aCommand: Check = expecting(
  'the result of defineCommand()',
  (value) =>
    isRecord(value) &&
    typeof value.name === 'string' &&
    typeof value.handler === 'function' &&
    value.inputSchema !== undefined,
)

/** Throws if the name starts with the prefix of the server's own tools. */
export function checkNotReserved(name: string, prefix: string): void {
  if (!String(name).startsWith(`${prefix}-`)) return
  raise('INVALID_COMMAND', {
    name,
    reason: `names that start with '${prefix}-' belong to the server's own tools`,
    todo: `Choose a first word other than '${prefix}'.`,
  })
}

function buildCommand<I extends InputSchema, O extends StandardSchema, Name extends string, Returned>(
  options: CommandOptions<I, O, Name, Returned>,
): Command<Name, InferInput<I>, DataOf<Returned>> {
  checkShape(options)
  const { handler, examples, expose = {}, ...rest } = withoutOwnFields(options)
  const inputSchema = describeInput(options.name, options.input)
  if (inputSchema.type !== 'object') {
    raise('INVALID_COMMAND', {
      name: options.name,
      reason: 'its input is not an object',
      todo: isZod(options.input) ? 'Wrap it: input: z.object({ … }).' : 'Wrap it in an object.',
    })
  }
  examples?.forEach((example, index) => {
    const problem = findExampleFault(example, options.input, inputSchema)
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
    handler: async (input, context) =>
      // `DataOf<Returned>` is the type of the data in the result of this handler.
      (await handler(input as InferOutput<I>, context)) as CommandResult<DataOf<Returned>>,
  }
}

const aSchema = expecting('a schema of zod 4 or another Standard Schema', isStandardSchema)
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
  input: aSchema,
  output: aSchema,
  handler: aFunction,
} satisfies Record<keyof CommandOptions<InputSchema, StandardSchema>, Check>

type OptionsToCheck = Omit<CommandOptions<InputSchema, StandardSchema>, 'examples' | 'handler'> & {
  readonly handler: unknown
}

/** Checks at runtime what TypeScript checks at compile time, for JavaScript callers. */
function checkShape(options: OptionsToCheck): void {
  const name = isRecord(options) ? String(options.name) : ''
  const refuse = (reason: string, todo: string) => raise('INVALID_COMMAND', { name, reason, todo })
  const refuseFault = (fault: FieldFault | undefined, parent = '') => {
    if (fault === undefined) return
    const where = `${parent}${fault.field === undefined ? '' : `${parent && '.'}${fault.field}`}`
    refuse(where === '' ? fault.reason : `\`${where}\`: ${fault.reason}`, fault.todo)
  }
  if (!isRecord(options)) refuseFault(findFieldFault(options, FIELDS))
  if (typeof options.name !== 'string' || !NAME.test(name)) {
    refuse('its name is not one that MCP allows', "Use 1 to 128 letters, digits, '_', '-' or '.', like 'order-create'.")
  }
  if (typeof options.description !== 'string' || options.description.trim() === '') {
    refuse('it has no description', 'Describe in one sentence what it does; agents choose commands by it.')
  }
  if (!isStandardSchema(options.input)) {
    refuse('`input` is not a schema', 'Give input: z.object({ … }) with zod 4, or another Standard Schema.')
  }
  if (typeof options.handler !== 'function') refuse('it has no handler', 'Give handler(input, context).')
  refuseFault(findFieldFault(withoutOwnFields(options), FIELDS))
  refuseFault(findFieldFault(options.expose ?? {}, EXPOSE), 'expose')
}

/**
 * Removes the three fields of a command that are not options. Options that are copied from a command
 * (`{ ...other, name }`) contain them, but a copy of a builtin is not a builtin.
 */
function withoutOwnFields<O extends object>(options: O): O {
  const {
    inputSchema: _inputSchema,
    builtin: _builtin,
    needsSession: _needsSession,
    ...rest
  } = options as Partial<Command>
  return rest as O // `O` has none of the removed fields
}
