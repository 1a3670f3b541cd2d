// The name by which tools/call reaches a tool under the strategy in force, and the call that must come first.

import type { Tool } from '../../core/tool.ts'
import type { TaskClient } from '../../disclosure/strategy-task.ts'
import type { InspectorTool } from './api.ts'
import type { OwnStrategies } from './own-strategies.ts'
import { taskToolOf } from './task-tool.ts'
import type { Visit } from './visit.ts'

export async function callNameOf(
  tool: Tool,
  { view, signal }: Visit,
  strategies: OwnStrategies,
): Promise<Pick<InspectorTool, 'callName' | 'prepare'>> {
  const current = strategies.create(strategies.current, signal)
  // A group of tools can have the name of a tool. The id is never a group.
  const isTaken = current?.strategy.ownNames?.(view).includes(tool.listedName) === true
  const callName = isTaken ? tool.id : tool.listedName
  const task = current?.strategy.task
  if (current === undefined || task?.prepare === undefined) return { callName }
  const listed = await current.list(view)
  if (listed.some(({ name }) => name === tool.listedName)) return { callName }
  const calls: Required<Pick<InspectorTool, 'prepare'>>['prepare'][] = []
  const note = async (name: string, args: Readonly<Record<string, unknown>>) => {
    calls.push({ name, arguments: args })
    return ''
  }
  const client: TaskClient<string> = { list: async () => listed, call: note, ask: note }
  await task.prepare(client, taskToolOf(tool, ''))
  const [prepare] = calls
  return { callName, ...(prepare === undefined ? {} : { prepare }) }
}
