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
 * The tokens of the brackets around most lists. With the cost of each tool, they add up to the count of `countListing`.
 * Some lists have one token more, because of the end of their last tool; `bracketTokens` counts exactly.
 */
export const BRACKET_TOKENS = 2
/** A tool is counted with the start of the next one, because the tokenizer may join both into one token. */
const NEXT = ',{"'
/** The tokens in `listingText` that belong to the next tool. */
export const OPENING_TOKENS = 1
/** Enough characters to contain the punctuation at the end of a tool: the tokenizer joins only that with a bracket. */
const END_CHARS = 64

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

/** The exact tokens of the brackets around a list that ends with this tool. */
export function bracketTokens(last: ListedTool, count: CountTokens): number {
  const end = JSON.stringify(last).slice(-END_CHARS)
  return count('[{"') - OPENING_TOKENS + count(`${end}]`) - (count(`${end}${NEXT}`) - OPENING_TOKENS)
}

export async function countListing(tools: readonly ListedTool[]): Promise<number> {
  const count = await loadTokenCounter()
  return count(JSON.stringify(tools))
}
