// The commands of toolcrib itself: they explain a server under any strategy, and switch between its contexts.

import { z } from 'zod'
import type { CommandContext, CommandDescription, ContextControl, ContextDefinition } from '../../core/call.ts'
import { aListOf, aNumber, aText, type Check, expecting, findFieldFault } from '../../core/check-fields.ts'
import { groupBy } from '../../core/collections.ts'
import { fail, raise } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { DEFAULT_PREFIX } from '../../core/names.ts'
import { type CommandResult, success } from '../../core/result.ts'
import { findSimilarTools, similarDetails } from '../../core/similarity.ts'
import { firstSentence } from '../../core/text.ts'
import { type Command, defineBuiltin } from './define.ts'

/** The options of `createBootstrapCommands`. */
export interface BootstrapOptions {
  /** Default: the prefix of the server's own tools. */
  readonly prefix?: string
}

const oneCommand = z.object({ command: z.string().describe('Only this command').optional() })

/**
 * The commands `afd-help`, `afd-docs` and `afd-schema`, which explain a server to people and agents.
 *
 * @example
 * ```ts
 * createMcpServer({ name: 'todos', version: '1.0.0', commands: [add, ...createBootstrapCommands()] })
 * ```
 */
export function createBootstrapCommands({ prefix = DEFAULT_PREFIX }: BootstrapOptions = {}): readonly Command[] {
  return [
    defineBuiltin({
      name: `${prefix}-help`,
      description: 'Explain how to use this server: its strategy, the calls it takes, its commands by category.',
      mutation: false,
      input: z.object({ category: z.string().describe('Only this category').optional() }),
      async handler({ category }, context) {
        const { server, strategy, guide, commands } = await context.introspect()
        const shown = commands.filter((command) => category === undefined || command.category === category)
        return success({
          server,
          strategy,
          guide,
          categories: Array.from(
            groupBy(shown, (command) => command.category),
            ([category, group]) => ({ category, commands: group.map(toSummary) }),
          ),
        })
      },
    }),
    defineBuiltin({
      name: `${prefix}-docs`,
      description: 'Markdown documentation of all commands, or of one.',
      mutation: false,
      input: oneCommand,
      handler: ({ command }, context) =>
        describeCommands(command, context, (commands) => ({ markdown: commands.map(toMarkdown).join('\n\n') })),
    }),
    defineBuiltin({
      name: `${prefix}-schema`,
      description: 'The input schemas of all commands at once, or of one.',
      mutation: false,
      input: oneCommand,
      handler: ({ command }, context) =>
        describeCommands(command, context, (commands) => ({
          schemas: Object.fromEntries(commands.map(({ name, inputSchema }) => [name, inputSchema])),
        })),
    }),
  ]
}

/** Replaces the default prefix of a builtin with that of the server, which is unknown when the builtin is created. */
export function withServerPrefix(command: Command, prefix: string): Command {
  const defaultStart = `${DEFAULT_PREFIX}-`
  if (command.builtin !== true || !command.name.startsWith(defaultStart)) return command
  return { ...command, name: `${prefix}-${command.name.slice(defaultStart.length)}` }
}

/** Describes the command with this name, or all commands. `show` makes the data of the result. */
async function describeCommands<T>(
  name: string | undefined,
  context: CommandContext,
  show: (commands: readonly CommandDescription[]) => T,
): Promise<CommandResult<T>> {
  const { commands } = await context.introspect()
  if (name === undefined) return success(show(commands))
  const found = commands.find((command) => command.name === name)
  if (found !== undefined) return success(show([found]))
  const similar = findSimilarTools(
    name,
    commands.map((command) => command.name),
  )
  // The name of this command starts with the prefix of the server, unless the author chose another prefix for it.
  const discover = context.command.name.replace(/-[^-]*$/, '-discover')
  return fail('COMMAND_NOT_FOUND', { name, similar, discover }, similarDetails(similar))
}

function toSummary({ name, description }: CommandDescription) {
  return { name, description: firstSentence(description) }
}

function toMarkdown({ name, description, category, tags, mutation, inputSchema }: CommandDescription): string {
  const facts = [
    `category ${category}`,
    ...(mutation === undefined ? [] : [mutation ? 'changes state' : 'read-only']),
    ...tags.map((tag) => `#${tag}`),
  ]
  return `## ${name}\n\n${description}\n\n${facts.join(' · ')}\n\n\`\`\`json\n${JSON.stringify(inputSchema, null, 2)}\n\`\`\``
}

export function createContextCommands(prefix: string): readonly Command[] {
  return [
    defineBuiltin({
      name: `${prefix}-context-list`,
      description: 'List the contexts of this server and say which one is active.',
      mutation: false,
      input: z.object({}),
      handler: (_input, context) => {
        const { all, active } = controlOf(context)
        return success({ contexts: all, active: active ?? null })
      },
    }),
    defineSessionBuiltin({
      name: `${prefix}-context-enter`,
      description: 'Enter a context: only its commands, and those of no context, stay available in this session.',
      mutation: true,
      destructive: false,
      input: z.object({ context: z.string().min(1) }),
      handler: ({ context: name }, context) => controlOf(context).enter(name),
    }),
    defineSessionBuiltin({
      name: `${prefix}-context-exit`,
      description: 'Leave the active context: all commands are available again.',
      mutation: true,
      destructive: false,
      input: z.object({}),
      handler: (_input, context) => controlOf(context).exit(),
    }),
  ]
}

/** Defines a builtin that can be called only in a session, because it changes the session. */
const defineSessionBuiltin: typeof defineBuiltin = (options) => ({ ...defineBuiltin(options), needsSession: true })

/** Checks the fields, and that names are unique. Returns the contexts sorted by priority, highest first. */
export function checkContexts(contexts: readonly ContextDefinition[]): readonly ContextDefinition[] {
  const refuse = (reason: string, todo: string) => raise('INVALID_OPTIONS', { what: 'contexts', reason, todo })
  const reason = aListOf(aNamedObject, 'contexts')(contexts)
  if (reason !== undefined) refuse(reason, "Give contexts: [{ name: 'sales' }, …].")
  const names = new Set<string>()
  contexts.forEach((context, index) => {
    const fault = findFieldFault(context, FIELDS)
    if (fault !== undefined) {
      const field = fault.field === undefined ? '' : `\`${fault.field}\`: `
      refuse(`entry ${index + 1}: ${field}${fault.reason}`, fault.todo)
    }
    if (names.has(context.name)) refuse(`two are named '${context.name}'`, 'Give each context a different name.')
    names.add(context.name)
  })
  return [...contexts].sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
}

const aNamedObject = expecting(
  'an object with a name',
  (value) => isRecord(value) && typeof value.name === 'string' && value.name !== '',
)

const FIELDS = {
  name: aText,
  description: aText,
  triggers: aListOf(aText, 'texts'),
  priority: aNumber,
} satisfies Record<keyof ContextDefinition, Check>

function controlOf(context: CommandContext): ContextControl {
  if (context.contexts === undefined) throw new Error('This server has no contexts.')
  return context.contexts
}
