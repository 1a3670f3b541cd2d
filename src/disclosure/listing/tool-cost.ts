// What tools cost in tools/list, in tokens; counted once for each tool, and no further than anyone asks.

import { type CountTokens, loadTokenCounter } from '../../core/tokens.ts'
import type { ListedTool, Tool } from '../../core/tool.ts'

/** Above the limit the cost is not counted: counting a large catalog takes long, and an estimate would be a second figure. */
export type Cost = { readonly isWithin: true; readonly tokens: number } | { readonly isWithin: false }

export type ToolCost = (tools: readonly Tool[], limit: number) => Promise<Cost>

/** The brackets around a list of tools: with what each tool in it costs, they make up what `countListing` counts. */
export const BRACKET_TOKENS = 2
/** Where one tool ends and the next begins, the tokenizer may make one token of both. */
const NEXT = ',{'
const FIRST = '{'

export function createToolCost(list: (tool: Tool) => ListedTool): ToolCost {
  const known = new WeakMap<Tool, number>()
  return async (tools, limit) => {
    if (tools.length === 0) return { tokens: 0, isWithin: true }
    const count = await loadTokenCounter()
    const costOf = (tool: Tool) => {
      const tokens = known.get(tool) ?? tokensInListing(list(tool), count)
      known.set(tool, tokens)
      return tokens
    }
    let tokens = BRACKET_TOKENS
    for (const tool of tools) {
      tokens += costOf(tool)
      if (tokens > limit) return { isWithin: false }
    }
    return { tokens, isWithin: true }
  }
}

/** What one tool adds to a list of several. */
export function tokensInListing(tool: ListedTool, count: CountTokens): number {
  return count(`${JSON.stringify(tool)}${NEXT}`) - count(FIRST)
}

export async function countListing(tools: readonly ListedTool[]): Promise<number> {
  const count = await loadTokenCounter()
  return count(JSON.stringify(tools))
}
