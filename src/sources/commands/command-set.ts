// A set of commands that can grow, each name once, and the source that lists and calls them.

import { aListOf } from '../../core/check-fields.ts'
import { defined } from '../../core/defined.ts'
import { raise } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { createListeners } from '../../core/listeners.ts'
import { categoriesOfNames } from '../../core/name-categories.ts'
import { deriveCategory, isKebabCase } from '../../core/names.ts'
import type { JsonSchema, ToolEntry, ToolResult, ToolTraits } from '../../core/tool.ts'
import { isZod, type StandardSchema, validateAsync, validateStandard } from '../../core/validate.ts'
import type { ToolSource } from '../source.ts'
import { aCommand, type Command, type ExposeOptions } from './define.ts'

/** A place where a command may be offered. */
export type Exposure = keyof ExposeOptions

/** A set of commands that can grow. Each name is registered once. */
export interface CommandSet {
  /** Adds all of the commands, or none: raises DUPLICATE_COMMAND if a name exists. */
  register(...commands: readonly Command[]): void
  /** The command with this name. */
  get(name: string): Command | undefined
  /** Whether there is a command with this name. */
  has(name: string): boolean
  /** In the order of registration. */
  list(): readonly Command[]
  /** The commands of a category, declared or derived. */
  listByCategory(category: string): readonly Command[]
  /** The commands with all of the tags, or with any of them. Default: `any`. */
  listByTags(tags: readonly string[], mode?: 'all' | 'any'): readonly Command[]
  /** The commands that may be offered at this place. */
  listByExposure(where: Exposure): readonly Command[]
  /** Calls the listener after each `register`. The returned function removes the listener. */
  onChange(listener: () => void): () => void
}

/** The values of the fields of `expose` that a command does not set. */
const DEFAULT_EXPOSURE: Required<ExposeOptions> = { palette: true, agent: true, mcp: false, cli: false }

/** Checks at runtime what TypeScript checks at compile time, for JavaScript callers. */
export function checkAreCommands(commands: unknown): void {
  const reason = aListOf(aCommand, 'commands')(commands)
  if (reason === undefined) return
  raise('INVALID_OPTIONS', { what: 'commands', reason, todo: 'Pass each result of defineCommand() as one argument.' })
}

export function createCommandSet(initial: readonly Command[] = []): CommandSet {
  const commands = new Map<string, Command>()
  const listeners = createListeners()
  const list = () => [...commands.values()]

  const set: CommandSet = {
    register(...added) {
      checkAreCommands(added)
      // All or none: a partly registered list would be hard to notice.
      const names = new Set(commands.keys())
      for (const { name } of added) {
        if (names.has(name)) raise('DUPLICATE_COMMAND', { name })
        names.add(name)
      }
      for (const command of added) commands.set(command.name, command)
      listeners.tell()
    },
    get: (name) => commands.get(name),
    has: (name) => commands.has(name),
    list,
    listByCategory(category) {
      const derived = categoriesOfNames([...commands.keys()])
      const categoryOf = ({ name }: Command) => (isKebabCase(name) ? deriveCategory(name) : derived.get(name))
      return list().filter((command) => (command.category || categoryOf(command)) === category)
    },
    listByTags: (tags, mode = 'any') =>
      list().filter(({ tags: own = [] }) => {
        const has = (tag: string) => own.includes(tag)
        return mode === 'all' ? tags.every(has) : tags.some(has)
      }),
    listByExposure: (where) => list().filter(({ expose }) => expose[where] ?? DEFAULT_EXPOSURE[where]),
    onChange: (listener) => listeners.add(listener),
  }
  set.register(...initial)
  return set
}

interface CommandSourceOptions {
  readonly id: string
  /** The commands that can be called. */
  readonly commands: CommandSet
  /** Further commands that are described on request but cannot be called. */
  readonly unexposed?: CommandSet
}

export function createCommandSource({ id, commands, unexposed }: CommandSourceOptions): ToolSource {
  return {
    id,
    async list() {
      const offered = commands.list().map((command) => toEntry(command))
      const others = unexposed?.list().filter((command) => !commands.has(command.name)) ?? []
      return [...offered, ...others.map((command) => toEntry(command, true))]
    },
    async call(name, input, context) {
      const command = commands.get(name)
      if (command === undefined) throw new Error(`The source '${id}' has no command '${name}'.`)
      // The handler is code of the author. The dispatcher checks that it returns a CommandResult.
      return withoutWire(await command.handler(input, context)) as ToolResult
    },
    onChange(listener) {
      const stops = [commands.onChange(listener), unexposed?.onChange(listener)]
      return () => {
        for (const stop of stops) stop?.()
      }
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** Removes the field `wire`, which the handler of a command must not set. */
function withoutWire(result: unknown): unknown {
  if (!isRecord(result) || !('wire' in result)) return result
  const { wire: _wire, ...rest } = result
  return rest
}

function toEntry(command: Command, unexposed = false): ToolEntry {
  const { name, title, description, category, tags, input, output, inputSchema, builtin, needsSession } = command
  return {
    name,
    description,
    inputSchema,
    traits: traitsOf(command),
    validate: validatorOf(input, inputSchema),
    ...defined({ title, category, tags, validateOutput: output && validatorOf(output) }),
    ...(isKebabCase(name) ? { defaultCategory: deriveCategory(name) } : {}),
    ...(unexposed ? { unexposed } : {}),
    ...(builtin === true ? { builtin } : {}),
    ...(needsSession === true ? { needsSession } : {}),
  }
}

/** Returns the validator of a schema. It is chosen once per command, so that a call does not check for zod again. */
function validatorOf(schema: StandardSchema, inputSchema?: JsonSchema): ToolEntry['validate'] {
  return isZod(schema)
    ? (value) => validateAsync(schema, value)
    : (value) => validateStandard(schema, value, inputSchema)
}

const TRAITS = [
  'version',
  'mutation',
  'destructive',
  'confirmPrompt',
  'executionTime',
  'errors',
  'requires',
  'examples',
  'contexts',
  'handoff',
  'handoffProtocol',
] as const satisfies readonly (keyof ToolTraits)[]

function traitsOf(command: Command): ToolTraits {
  return Object.fromEntries(TRAITS.flatMap((key) => (command[key] === undefined ? [] : [[key, command[key]]])))
}
