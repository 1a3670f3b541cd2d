// Finds the name by which tools/call reaches a tool under the current strategy, and the call that must come before it.

import type { Tool } from '../../core/tool.ts'
import type { TaskClient } from '../../disclosure/strategy-task.ts'
import type { InspectorTool } from './api.ts'
import type { ComparedStrategies } from './compared-strategies.ts'
import { taskToolOf } from './task-tool.ts'
import type { Visit } from './visit.ts'

export async function callNameOf(
  tool: Tool,
  { view, signal }: Visit,
  strategies: ComparedStrategies,
): Promise<Pick<InspectorTool, 'callName' | 'prepare'>> {
  const current = strategies.create(strategies.current, signal)
  // A group of tools can have the same name as a tool. An id is never the name of a group.
  const isTaken = current?.strategy.ownNames?.(view).includes(tool.listedName) === true
  const callName = isTaken ? tool.id : tool.listedName
  const task = current?.strategy.task
  if (current === undefined || task?.prepare === undefined) return { callName }
  const listed = await current.list(view)
  if (listed.some(({ name }) => name === tool.listedName)) return { callName }
  // The script of the strategy runs with a client that only records its calls. The first call prepares the tool.
  const calls: NonNullable<InspectorTool['prepare']>[] = []
  const recordCall = async (name: string, args: Readonly<Record<string, unknown>>) => {
    calls.push({ name, arguments: args })
    return ''
  }
  const client: TaskClient<string> = { list: async () => listed, call: recordCall, ask: recordCall }
  await task.prepare(client, taskToolOf(tool, ''))
  const [prepare] = calls
  return { callName, ...(prepare === undefined ? {} : { prepare }) }
}
