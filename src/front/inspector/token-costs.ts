// Counts the tokens of tool definitions (o200k) in short slices. A tool is counted once.

import { inSlices } from '../../core/collections.ts'
import { loadTokenCounter, partsOf } from '../../core/tokens.ts'
import type { DescribedTool, ListedTool } from '../../core/tool.ts'
import { listInFull } from '../../disclosure/listed.ts'
import { bracketTokens, listingText, OPENING_TOKENS } from '../../disclosure/strategies/listing/tool-cost.ts'

export interface TokenCosts {
  /** The tokens that a tool adds to a full list. Undefined if the tool is not counted yet. */
  of(tool: DescribedTool): number | undefined
  /** The sum of the tokens that these tools add to a full list. Undefined if one of them is not counted yet. */
  sumOf(tools: readonly DescribedTool[]): number | undefined
  /** The tokens of the full list of these tools. Undefined if one of them is not counted yet. */
  ofAll(tools: readonly DescribedTool[]): number | undefined
  /** The tokens per byte of these tools, from a sample of those that are counted. Undefined if none is counted. */
  perByte(tools: readonly DescribedTool[]): number | undefined
  /** Resolves when all of these tools are counted. */
  count(tools: readonly DescribedTool[]): Promise<void>
  countListing(tools: readonly ListedTool[]): Promise<number>
  countText(text: string): Promise<number>
}

/** The tokens of a tool in a list, and those of the brackets around a list that ends with this tool. */
interface KnownCost {
  readonly tokens: number
  readonly brackets: number
}

/** The number of tools in a sample for the tokens per byte. */
const MAX_SAMPLE = 200

export function createTokenCosts(): TokenCosts {
  const known = new WeakMap<DescribedTool, KnownCost>()
  let last: Promise<void> = Promise.resolve()

  const countAll = async (tools: readonly DescribedTool[]) => {
    const count = await loadTokenCounter()
    // The text of a tool ends with the start of the next tool, which is not counted.
    let tokens = -OPENING_TOKENS
    await inSlices(partsOfTools(tools, known), ({ part, done }) => {
      tokens += count(part)
      if (done === undefined) return
      known.set(done, { tokens, brackets: bracketTokens(listInFull(done), count) })
      tokens = -OPENING_TOKENS
    })
  }
  const countParts = async (parts: Iterable<string>) => {
    const count = await loadTokenCounter()
    let tokens = 0
    await inSlices(parts, (part) => {
      tokens += count(part)
    })
    return tokens
  }
  const sumOf = (tools: readonly DescribedTool[]) => {
    let sum = 0
    for (const tool of tools) {
      const cost = known.get(tool)
      if (cost === undefined) return undefined
      sum += cost.tokens
    }
    return sum
  }
  return {
    of: (tool) => known.get(tool)?.tokens,
    sumOf,
    ofAll(tools) {
      const final = tools.at(-1)
      const sum = sumOf(tools)
      return sum === undefined ? undefined : sum + (final === undefined ? 0 : (known.get(final)?.brackets ?? 0))
    },
    perByte(tools) {
      // Tools are ordered by server, so every n-th tool gives each server its share of the sample.
      const step = Math.max(1, Math.ceil(tools.length / MAX_SAMPLE))
      let [sum, bytes] = [0, 0]
      for (const tool of tools.filter((_, index) => index % step === 0)) {
        const cost = known.get(tool)
        if (cost === undefined) continue
        sum += cost.tokens
        bytes += Buffer.byteLength(JSON.stringify(listInFull(tool)))
      }
      return bytes === 0 ? undefined : sum / bytes
    },
    count(tools) {
      if (tools.every((tool) => known.has(tool))) return Promise.resolve()
      // Counts run one after the other: two counts of the same tools at once would take twice as long.
      const counted = last.then(() => countAll(tools))
      last = counted.catch(() => {})
      return counted
    },
    async countListing(tools) {
      const final = tools.at(-1)
      if (final === undefined) return countParts(['[]'])
      const tokens = await countParts(partsOfTexts(tools))
      return tokens - OPENING_TOKENS * tools.length + bracketTokens(final, await loadTokenCounter())
    },
    countText: (text) => countParts(partsOf(text)),
  }
}

/** The texts to count for each tool that is not counted yet. `done` is set with the last part of a tool. */
function* partsOfTools(
  tools: readonly DescribedTool[],
  known: WeakMap<DescribedTool, KnownCost>,
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
