// invoke_tool: runs a tool that is not listed, for models that can only call what is.

import { z } from 'zod'
import { anyObject, isRecord } from '../../core/schema.ts'
import { defineMetaTool } from '../meta-tool.ts'
import type { MetaTool, StrategyEnvironment } from '../strategy.ts'
import { sourcesNamed } from './sources-named.ts'

const input = z.strictObject({
  tool: z.string().min(1),
  arguments: anyObject.default({}),
})

export function createInvokeTool({ hasContexts }: StrategyEnvironment): MetaTool {
  const name = 'invoke_tool'
  return defineMetaTool({
    name,
    description: 'Run a tool by name, with arguments that fit its schema.',
    input,
    inputSchema: {
      type: 'object',
      properties: { tool: { type: 'string', minLength: 1 }, arguments: { type: 'object' } },
      required: ['tool'],
      additionalProperties: false,
    },
    readOnly: false,
    takesContext: hasContexts,
    needs: (args) => sourcesNamed(isRecord(args) ? args.tool : undefined),
    async call({ tool, arguments: args }, view) {
      // A model that takes everything for a tool to invoke means the same.
      const own = tool === name ? undefined : view.callMetaTool(tool, args)
      return own ?? view.deliver(await view.invoke(tool, args))
    },
  })
}
