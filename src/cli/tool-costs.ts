// What the tools of each server would cost a client that lists them all, by the tokenizer.

import { loadTokenCounter } from '../core/tokens.ts'
import { listInFull } from '../disclosure/listed.ts'
import type { Shelves } from '../disclosure/shelves.ts'

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
  /** Of the tools that are not disabled, by id. */
  readonly byTool: ReadonlyMap<string, { readonly server: string; readonly tokens: number }>
}

const NOTHING: ToolCost = { tools: 0, disabled: 0, tokens: 0, disabledTokens: 0 }

export async function toolCosts({ visible, known }: Pick<Shelves, 'visible' | 'known'>): Promise<ToolCosts> {
  const countTokens = await loadTokenCounter()
  const byServer = new Map<string, ToolCost>()
  const byTool = new Map<string, { readonly server: string; readonly tokens: number }>()
  for (const tool of known.tools) {
    const isVisible = visible.get(tool.id) !== undefined
    if (!isVisible && tool.disabled === undefined) continue
    const cost = countTokens(JSON.stringify(listInFull(tool)))
    const { tools, disabled, tokens, disabledTokens } = byServer.get(tool.sourceId) ?? NOTHING
    byServer.set(
      tool.sourceId,
      isVisible
        ? { tools: tools + 1, tokens: tokens + cost, disabled, disabledTokens }
        : { tools, tokens, disabled: disabled + 1, disabledTokens: disabledTokens + cost },
    )
    if (isVisible) byTool.set(tool.id, { server: tool.sourceId, tokens: cost })
  }
  return { byServer, byTool }
}
