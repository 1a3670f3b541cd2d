// The meta-tool afd-call: runs a command by its name, whether or not the command is listed.

import { z } from 'zod'
import { fail } from '../../../core/errors.ts'
import type { CommandResult } from '../../../core/result.ts'
import { anyObject } from '../../../core/schema.ts'
import { defineMetaTool, isPlainCall } from '../../meta-tool.ts'
import { toolToRun } from '../../needs.ts'
import { nothingToRun, READ_ON, readOnProperties, readOnShape } from '../../read-on.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import type { View } from '../../view.ts'

const DESCRIPTION = 'Run a command by name; `input` must fit its schema.'

const shape = {
  command: z.string().min(1),
  input: anyObject.default({}),
}
const properties = { command: { type: 'string', minLength: 1 }, input: { type: 'object' } }

/**
 * `introspection` (discover and detail) can also be called through afd-call. Some strategies do not list these tools,
 * and a model that can call only listed tools still needs the schema that an error message refers to.
 */
export function createCall(environment: StrategyEnvironment, introspection: readonly string[]): MetaTool {
  const { prefix, hasContexts, keepsResults = false } = environment
  const name = `${prefix}-call`
  const runners = new Set([name, `${prefix}-batch`, `${prefix}-pipe`])
  const run = async (command: string, args: unknown, view: View): Promise<CommandResult> => {
    const described = introspection.includes(command) ? view.callMetaTool(command, args) : undefined
    if (described !== undefined) return described
    if (runners.has(command)) return fail('BUILTIN_NOT_ALLOWED', { name: command, where: name })
    return view.deliver(await view.invoke(command, args))
  }
  const common = {
    name,
    readOnly: false,
    takesContext: hasContexts,
    needs: (args: unknown) => toolToRun(args, 'command'),
    isPlain: isPlainCall(['command'], 'input'),
  }
  if (!keepsResults) {
    return defineMetaTool({
      ...common,
      description: DESCRIPTION,
      // Strict: a field next to `input` would be lost without notice.
      input: z.strictObject(shape),
      inputSchema: { type: 'object', properties, required: ['command'], additionalProperties: false },
      call: ({ command, input }, view) => run(command, input, view),
    })
  }
  return defineMetaTool({
    ...common,
    description: `${DESCRIPTION} ${READ_ON}`,
    input: z.strictObject({ ...shape, command: shape.command.optional(), ...readOnShape }),
    inputSchema: { type: 'object', properties: { ...properties, ...readOnProperties }, additionalProperties: false },
    async call({ command, input, handle, offset }, view) {
      if (handle !== undefined) return view.readOn(handle, offset)
      return command === undefined ? nothingToRun(name, 'command', `${prefix}-discover`) : run(command, input, view)
    },
  })
}
