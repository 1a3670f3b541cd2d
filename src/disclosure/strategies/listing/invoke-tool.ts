// The meta-tool invoke_tool: runs a tool by its name, for models that can call only listed tools.

import { z } from 'zod'
import { anyObject } from '../../../core/schema.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import { toolToRun } from '../../needs.ts'
import { nothingToRun, READ_ON, readOnProperties, readOnShape } from '../../read-on.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import type { View } from '../../view.ts'

const NAME = 'invoke_tool'
const DESCRIPTION = 'Run a tool by name, with arguments that fit its schema.'

const shape = {
  tool: z.string().min(1),
  arguments: anyObject.default({}),
}
const properties = { tool: { type: 'string', minLength: 1 }, arguments: { type: 'object' } }

/** `find` is the strategy's tool that finds tools. */
export function createInvokeTool(environment: StrategyEnvironment, find: string): MetaTool {
  const { hasContexts, keepsResults = false } = environment
  const common = {
    name: NAME,
    readOnly: false,
    takesContext: hasContexts,
    needs: (args: unknown) => toolToRun(args, 'tool'),
  }
  if (!keepsResults) {
    return defineMetaTool({
      ...common,
      description: DESCRIPTION,
      input: z.strictObject(shape),
      inputSchema: { type: 'object', properties, required: ['tool'], additionalProperties: false },
      call: ({ tool, arguments: args }, view) => run(tool, args, view),
    })
  }
  return defineMetaTool({
    ...common,
    description: `${DESCRIPTION} ${READ_ON}`,
    input: z.strictObject({ ...shape, tool: shape.tool.optional(), ...readOnShape }),
    inputSchema: { type: 'object', properties: { ...properties, ...readOnProperties }, additionalProperties: false },
    async call({ tool, arguments: args, handle, offset }, view) {
      if (handle !== undefined) return view.readOn(handle, offset)
      return tool === undefined ? nothingToRun(NAME, 'tool', find) : run(tool, args, view)
    },
  })
}

async function run(tool: string, args: Readonly<Record<string, unknown>>, view: View) {
  // Some models call the strategy's own tools through invoke_tool.
  const own = tool === NAME ? undefined : view.callMetaTool(tool, args)
  return own ?? view.deliver(await view.invoke(tool, args))
}
