// What tools cost in tools/list, in tokens; counted once for each tool, and no further than anyone asks.

import { loadTokenCounter } from '../../core/tokens.ts'
import type { ListedTool, Tool } from '../../core/tool.ts'

export interface Cost {
  /** Of all of them; past the limit, by the characters of those that were not counted. */
  readonly tokens: number
  readonly isWithin: boolean
}

export type ToolCost = (tools: readonly Tool[], limit: number) => Promise<Cost>

/** The comma between two tools. */
const SEPARATOR_TOKENS = 1

export function createToolCost(list: (tool: Tool) => ListedTool): ToolCost {
  const known = new WeakMap<Tool, number>()
  const charsOf = (tools: readonly Tool[]) => tools.reduce((sum, tool) => sum + JSON.stringify(list(tool)).length, 0)
  return async (tools, limit) => {
    const count = await loadTokenCounter()
    const costOf = (tool: Tool) => {
      const tokens = known.get(tool) ?? count(JSON.stringify(list(tool))) + SEPARATOR_TOKENS
      known.set(tool, tokens)
      return tokens
    }
    let tokens = 0
    for (const [index, tool] of tools.entries()) {
      tokens += costOf(tool)
      if (tokens <= limit) continue
      // A catalog may have millions of tokens, and nobody waits for the exact number of too many.
      const share = charsOf(tools) / charsOf(tools.slice(0, index + 1))
      return { tokens: Math.round(tokens * share), isWithin: false }
    }
    return { tokens, isWithin: true }
  }
}

export async function countListing(tools: readonly ListedTool[]): Promise<number> {
  const count = await loadTokenCounter()
  return count(JSON.stringify(tools))
}
