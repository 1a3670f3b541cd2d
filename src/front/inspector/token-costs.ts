// Counts the tokens of tool definitions (o200k) in short slices. A tool is counted once.

import { inSlices } from '../../core/collections.ts'
import { loadTokenCounter, partsOf } from '../../core/tokens.ts'
import type { DescribedTool, ListedTool } from '../../core/tool.ts'
import { listInFull } from '../../disclosure/listed.ts'
import { BRACKET_TOKENS, listingText, OPENING_TOKENS } from '../../disclosure/strategies/listing/tool-cost.ts'

export interface TokenCosts {
  /** The tokens that a tool adds to a full list. Undefined if the tool is not counted yet. */
  of(tool: DescribedTool): number | undefined
  /** The tokens of the full list of these tools. Undefined if one of them is not counted yet. */
  ofAll(tools: readonly DescribedTool[]): number | undefined
  /** Resolves when all of these tools are counted. */
  count(tools: readonly DescribedTool[]): Promise<void>
  countListing(tools: readonly ListedTool[]): Promise<number>
  countText(text: string): Promise<number>
}

/** A list with more tools is counted tool by tool: its whole text takes long to make. The sum can differ by 1. */
export const MAX_WHOLE = 2_000

export function createTokenCosts(): TokenCosts {
  const known = new WeakMap<DescribedTool, number>()
  let last: Promise<void> = Promise.resolve()

  const countAll = async (tools: readonly DescribedTool[]) => {
    const count = await loadTokenCounter()
    // The text of a tool ends with the opening bracket of the next tool, which is not counted.
    let tokens = -OPENING_TOKENS
    await inSlices(partsOfTools(tools, known), ({ part, done }) => {
      tokens += count(part)
      if (done === undefined) return
      known.set(done, tokens)
      tokens = -OPENING_TOKENS
    })
  }
  const countText = async (text: string) => {
    const count = await loadTokenCounter()
    let tokens = 0
    await inSlices(partsOf(text), (part) => {
      tokens += count(part)
    })
    return tokens
  }
  return {
    of: (tool) => known.get(tool),
    ofAll(tools) {
      let tokens = tools.length === 0 ? 0 : BRACKET_TOKENS
      for (const tool of tools) {
        const cost = known.get(tool)
        if (cost === undefined) return undefined
        tokens += cost
      }
      return tokens
    },
    count(tools) {
      if (tools.every((tool) => known.has(tool))) return Promise.resolve()
      // Counts run one after the other: two counts of the same tools at once would take twice as long.
      const counted = last.then(() => countAll(tools))
      last = counted.catch(() => {})
      return counted
    },
    async countListing(tools) {
      if (tools.length <= MAX_WHOLE) return countText(JSON.stringify(tools))
      const count = await loadTokenCounter()
      let tokens = BRACKET_TOKENS - OPENING_TOKENS * tools.length
      await inSlices(partsOfTexts(tools), (part) => {
        tokens += count(part)
      })
      return tokens
    },
    countText,
  }
}

/** The texts to count for each tool that is not counted yet. `done` is set with the last part of a tool. */
function* partsOfTools(
  tools: readonly DescribedTool[],
  known: WeakMap<DescribedTool, number>,
): Generator<{ readonly part: string; readonly done: DescribedTool | undefined }> {
  for (const tool of tools) {
    if (known.has(tool)) continue
    const parts = [...partsOf(listingText(listInFull(tool)))]
    for (const [at, part] of parts.entries()) yield { part, done: at === parts.length - 1 ? tool : undefined }
  }
}

function* partsOfTexts(tools: readonly ListedTool[]): Generator<string> {
  for (const tool of tools) yield* partsOf(listingText(tool))
}
