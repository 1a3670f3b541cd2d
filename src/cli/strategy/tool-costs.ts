// Counts the tokens of the list of all tools, which a client pays without the gateway: in total, per tool and per server.

import { legalName } from '../../catalog/naming.ts'
import { loadTokenCounter } from '../../core/tokens.ts'
import type { DescribedTool } from '../../core/tool.ts'
import { listInFull } from '../../disclosure/listed.ts'
import { BRACKET_TOKENS, countListing, tokensInListing } from '../../disclosure/strategies/listing/tool-cost.ts'
import type { SearchableCatalog } from '../../disclosure/view.ts'

export interface ServerToolCost {
  readonly tools: number
  readonly disabled: number
  /** The tokens of the enabled tools, listed in full. */
  readonly tokens: number
  /** The tokens of the disabled tools. */
  readonly disabledTokens: number
}

interface ToolCosts {
  readonly byServer: ReadonlyMap<string, ServerToolCost>
  /** By tool id. */
  readonly byTool: ReadonlyMap<string, ToolCost>
}

interface ToolCost {
  readonly server: string
  readonly tokens: number
  readonly isDisabled: boolean
}

interface ToolCostsOptions {
  /** True if only one of several servers is counted. In the full list, its tool names start with the server name. */
  readonly isOneOfSeveral?: boolean
}

const NO_COST: ServerToolCost = { tools: 0, disabled: 0, tokens: 0, disabledTokens: 0 }

/** The tokens of the whole list. */
export async function fullListTokens({ visible }: Pick<SearchableCatalog, 'visible'>): Promise<number> {
  return visible.tools.length === 0 ? 0 : countListing(visible.tools.map(listInFull))
}

export async function toolCosts(
  { visible, known }: Pick<SearchableCatalog, 'visible' | 'known'>,
  { isOneOfSeveral = false }: ToolCostsOptions = {},
): Promise<ToolCosts> {
  const countTokens = await loadTokenCounter()
  const list = (tool: DescribedTool) =>
    isOneOfSeveral ? { ...listInFull(tool), name: legalName(`${tool.sourceId}__${tool.name}`) } : listInFull(tool)
  const byServer = new Map<string, ServerToolCost>()
  const byTool = new Map<string, ToolCost>()
  for (const tool of known.tools) {
    const isVisible = visible.get(tool.id) !== undefined
    if (!isVisible && tool.disabled === undefined) continue
    const cost = tokensInListing(list(tool), countTokens)
    const { tools, disabled, tokens, disabledTokens } = byServer.get(tool.sourceId) ?? NO_COST
    byServer.set(
      tool.sourceId,
      isVisible
        ? { tools: tools + 1, tokens: tokens + cost, disabled, disabledTokens }
        : { tools, tokens, disabled: disabled + 1, disabledTokens: disabledTokens + cost },
    )
    byTool.set(tool.id, { server: tool.sourceId, tokens: cost, isDisabled: !isVisible })
  }
  return { byServer, byTool }
}

/** The tokens of the whole list, from the tokens of its parts. */
export function sumListTokens(parts: Iterable<number>): number {
  const sum = [...parts].reduce((total, tokens) => total + tokens, 0)
  return sum === 0 ? 0 : sum + BRACKET_TOKENS
}
