// What the tools of each server cost in the list of all tools, by the tokenizer: those of all of them add up to it.

import { legalName } from '../catalog/naming.ts'
import { loadTokenCounter } from '../core/tokens.ts'
import type { DescribedTool } from '../core/tool.ts'
import { listInFull } from '../disclosure/listed.ts'
import { BRACKET_TOKENS, tokensInListing } from '../disclosure/listing/tool-cost.ts'
import type { SearchableCatalog } from '../disclosure/searchable-catalog.ts'

export interface ToolCost {
  readonly tools: number
  readonly disabled: number
  /** Of the tools that are not disabled, in full. */
  readonly tokens: number
  /** Of those that are. */
  readonly disabledTokens: number
}

export interface ToolCosts {
  readonly byServer: ReadonlyMap<string, ToolCost>
  /** By id. */
  readonly byTool: ReadonlyMap<string, CostOfOne>
}

export interface CostOfOne {
  readonly server: string
  readonly tokens: number
  readonly isDisabled: boolean
}

export interface ToolCostsOptions {
  /** The tools are those of one server alone, of a config that has several: there they have longer names. */
  readonly isOneOfSeveral?: boolean
}

const NOTHING: ToolCost = { tools: 0, disabled: 0, tokens: 0, disabledTokens: 0 }

export async function toolCosts(
  { visible, known }: Pick<SearchableCatalog, 'visible' | 'known'>,
  { isOneOfSeveral = false }: ToolCostsOptions = {},
): Promise<ToolCosts> {
  const countTokens = await loadTokenCounter()
  const list = (tool: DescribedTool) =>
    isOneOfSeveral ? { ...listInFull(tool), name: legalName(`${tool.sourceId}__${tool.name}`) } : listInFull(tool)
  const byServer = new Map<string, ToolCost>()
  const byTool = new Map<string, CostOfOne>()
  for (const tool of known.tools) {
    const isVisible = visible.get(tool.id) !== undefined
    if (!isVisible && tool.disabled === undefined) continue
    const cost = tokensInListing(list(tool), countTokens)
    const { tools, disabled, tokens, disabledTokens } = byServer.get(tool.sourceId) ?? NOTHING
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

/** What the list of all of them costs, from what each part adds to it. */
export function wholeList(parts: Iterable<number>): number {
  const sum = [...parts].reduce((total, tokens) => total + tokens, 0)
  return sum === 0 ? 0 : sum + BRACKET_TOKENS
}
