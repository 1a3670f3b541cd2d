// Test fixture: a command that accepts any input and returns it.

import { z } from 'zod'
import { success } from '../../core/result.ts'
import { type Command, type CommandOptions, defineCommand } from './define.ts'

type Fields = Partial<CommandOptions<z.ZodType, z.ZodType>>

export function commandOf(name: string, fields: Fields = {}): Command {
  return defineCommand({
    name,
    description: `Does ${name}.`,
    input: z.looseObject({}),
    handler: (input) => success({ command: name, input }),
    ...fields,
  })
}

export function namesOf(commands: readonly { readonly name: string }[]): string[] {
  return commands.map((command) => command.name)
}
