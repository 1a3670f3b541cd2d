// Counts the tokens of tools in tools/list. The count of each tool is cached, and counting stops at a limit.

import { type CountTokens, loadTokenCounter } from '../../../core/tokens.ts'
import type { ListedTool, Tool } from '../../../core/tool.ts'

/**
 * A cost above the limit has no figure: counting a large catalog takes long, and an estimate would differ from the real
 * count.
 */
type Cost = { readonly isWithin: true; readonly tokens: number } | { readonly isWithin: false }

type MeasureToolCost = (tools: readonly Tool[], limit: number) => Promise<Cost>

/**
 * The tokens of the brackets around the list. With the cost of each tool, they add up to the count of `countListing`.
 */
export const BRACKET_TOKENS = 2
/** A tool is counted with the start of the next one, because the tokenizer may join both into one token. */
const NEXT = ',{'
/** The tokens in `listingText` that belong to the next tool. */
export const OPENING_TOKENS = 1

export function createToolCost(list: (tool: Tool) => ListedTool): MeasureToolCost {
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

/** The tokens that one tool adds to a list of several. */
export function tokensInListing(tool: ListedTool, count: CountTokens): number {
  return count(listingText(tool)) - OPENING_TOKENS
}

/** One tool of a list, and the start of the next one. */
export function listingText(tool: ListedTool): string {
  return `${JSON.stringify(tool)}${NEXT}`
}

export async function countListing(tools: readonly ListedTool[]): Promise<number> {
  const count = await loadTokenCounter()
  return count(JSON.stringify(tools))
}
