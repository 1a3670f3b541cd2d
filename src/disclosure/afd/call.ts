// afd-call: any command by name, under every strategy.

import { z } from 'zod'
import { fail } from '../../core/errors.ts'
import { anyObject } from '../../core/schema.ts'
import { defineMetaTool } from '../meta-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../strategy.ts'

// Strict: what a model puts beside `input` would be lost unseen.
const input = z.strictObject({
  command: z.string().min(1),
  input: anyObject.default({}),
})

/**
 * `introspection` (discover and detail) answers through afd-call too: under strategies that do not list them, a model
 * that may only call what is listed still gets to the schema an error message sends it to.
 */
export function createCall({ prefix, hasContexts }: StrategyEnvironment, introspection: readonly string[]): MetaTool {
  const name = `${prefix}-call`
  const others = new Set([name, `${prefix}-batch`, `${prefix}-pipe`])
  return defineMetaTool({
    name,
    description: 'Run a command by name; `input` must fit its schema.',
    input,
    inputSchema: {
      type: 'object',
      properties: { command: { type: 'string', minLength: 1 }, input: { type: 'object' } },
      required: ['command'],
      additionalProperties: false,
    },
    readOnly: false,
    takesContext: hasContexts,
    async call({ command, input: args }, view) {
      const described = introspection.includes(command) ? view.callMetaTool(command, args) : undefined
      if (described !== undefined) return described
      if (others.has(command)) return fail('BUILTIN_NOT_ALLOWED', { name: command, where: name })
      return view.invoke(command, args)
    },
  })
}
