// The meta-tool afd-call: runs a command by its name, whether or not the command is listed.

import { fail } from '../../../core/errors.ts'
import { isPlainCall } from '../../meta-tool.ts'
import { defineRunTool } from '../../run-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'

/**
 * `introspection` (discover and detail) can also be called through afd-call. Some strategies do not list these tools,
 * and a model that can call only listed tools still needs the schema that an error message refers to.
 */
export function createCall(environment: StrategyEnvironment, introspection: readonly string[]): MetaTool {
  const { prefix, hasContexts, keepsResults = false } = environment
  const name = `${prefix}-call`
  const runners = new Set([name, `${prefix}-batch`, `${prefix}-pipe`])
  return defineRunTool({
    name,
    description: 'Run a command by name; `input` must fit its schema.',
    toolField: 'command',
    inputField: 'input',
    find: `${prefix}-discover`,
    keepsResults,
    takesContext: hasContexts,
    isPlain: isPlainCall(['command'], 'input'),
    async run(command, input, view) {
      const described = introspection.includes(command) ? view.callMetaTool(command, input) : undefined
      if (described !== undefined) return described
      if (runners.has(command)) return fail('BUILTIN_NOT_ALLOWED', { name: command, where: name })
      return view.deliver(await view.invoke(command, input))
    },
  })
}
