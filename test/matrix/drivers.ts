// The rows of the matrix: every strategy with each of its variants, and its own script of a typical task.

import type { CallToolResult } from '@modelcontextprotocol/client'
import { strategies } from '../../src/disclosure/strategies/builtins.ts'
import { createStrategy, measuredListings } from '../../src/disclosure/strategies/create-strategy.ts'
import type { StrategyTask, TaskClient, TaskTool } from '../../src/disclosure/strategy-task.ts'
import type { GatewayClient } from '../e2e/gateway/client.ts'

export type MatrixTarget = TaskTool
export type ToolNames = Pick<TaskTool, 'name' | 'id' | 'group' | 'action'>

export interface MatrixRow {
  readonly title: string
  readonly strategy: string
  readonly options: Readonly<Record<string, unknown>>
  /** The complete list of tools, if it does not depend on the source. */
  readonly lists?: readonly string[] | undefined
  /** Whether the tool of the task is listed under its own name. */
  readonly listsTools: boolean
  readonly task: StrategyTask
}

/** The listings that do not depend on the source, as clients see them. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  lazy: ['afd-discover', 'afd-detail', 'afd-call', 'afd-batch', 'afd-pipe'],
  gateway: ['list_mcp_servers', 'search_tools', 'list_tools', 'get_tool_details', 'execute_tool'],
  'categories hidden invoke': ['list_tool_categories', 'get_category_tools', 'get_tool_schema', 'invoke_tool'],
  'capabilities hidden invoke': ['crib_capabilities', 'crib_tool_schema', 'invoke_tool'],
}

/** One row per strategy and variant. `core` contains the names or patterns of a hybrid core. */
export function rows(core: readonly string[]): readonly MatrixRow[] {
  return measuredListings.map(({ name, strategy, options: given }) => {
    const isHybrid = given.listing === 'hybrid'
    const takesPrefix = strategies.get(strategy)?.optionNames.includes('prefix') === true
    const options = { ...given, ...(takesPrefix ? { prefix: 'crib' } : {}), ...(isHybrid ? { core } : {}) }
    const { task } = createStrategy(strategy, options, { hasContexts: false }).strategy
    if (task === undefined) throw new Error(`The strategy ${strategy} has no task`)
    const listsTools = strategy === 'individual' || isHybrid || given.listing === 'stripped'
    return { title: name, strategy, options, lists: LISTS[name], listsTools, task }
  })
}

/** Returns the client that the script of a strategy uses. It sends the requests with an MCP client. */
export function taskClient({ client, list }: GatewayClient): TaskClient<CallToolResult> {
  const call = (name: string, args: Readonly<Record<string, unknown>>): Promise<CallToolResult> =>
    client.callTool({ name, arguments: { ...args } })
  return {
    list,
    call,
    async ask(name, args) {
      const result = await call(name, args)
      const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
      if (result.isError === true) throw new Error(`${name}: ${text}`)
      return text
    },
  }
}
