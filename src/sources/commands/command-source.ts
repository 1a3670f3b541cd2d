// The commands of this process as a source.

import { isRecord } from '../../core/is-record.ts'
import { deriveCategory, isKebabCase } from '../../core/names.ts'
import { isZod, type StandardSchema, validateStandard } from '../../core/standard-schema.ts'
import type { JsonSchema, ToolEntry, ToolResult, ToolTraits } from '../../core/tool.ts'
import { validateAsync } from '../../core/validate.ts'
import type { ToolSource } from '../source.ts'
import type { CommandSet } from './command-set.ts'
import type { Command } from './define.ts'

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

/** Removes the field `wire`, which only the answer of an upstream server may have. */
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
    ...(title === undefined ? {} : { title }),
    ...(category === undefined ? {} : { category }),
    ...(isKebabCase(name) ? { defaultCategory: deriveCategory(name) } : {}),
    ...(tags === undefined ? {} : { tags }),
    ...(output === undefined ? {} : { validateOutput: validatorOf(output) }),
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
