// The meta-tool invoke_tool: runs a tool by its name, for models that can call only listed tools.

import { defineRunTool } from '../../run-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'

const NAME = 'invoke_tool'

/** `find` is the strategy's tool that finds tools. */
export function createInvokeTool(environment: StrategyEnvironment, find: string): MetaTool {
  const { hasContexts, keepsResults = false } = environment
  return defineRunTool({
    name: NAME,
    description: 'Run a tool by name, with arguments that fit its schema.',
    toolField: 'tool',
    inputField: 'arguments',
    find,
    keepsResults,
    takesContext: hasContexts,
    async run(tool, args, view) {
      // Some models call the strategy's own tools through invoke_tool.
      const own = tool === NAME ? undefined : view.callMetaTool(tool, args)
      return own ?? view.deliver(await view.invoke(tool, args))
    },
  })
}
