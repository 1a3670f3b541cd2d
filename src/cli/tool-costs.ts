// What the tools of each server would cost a client that lists them all, by the tokenizer.

import { loadTokenCounter } from '../core/tokens.ts'
import { listInFull } from '../disclosure/listed.ts'
import type { Shelves } from '../disclosure/shelves.ts'

export interface ToolCost {
  readonly tools: number
  readonly disabled: number
  /** Of the tools that are not disabled, in full. */
  readonly tokens: number
}

export async function toolCosts({
  visible,
  known,
}: Pick<Shelves, 'visible' | 'known'>): Promise<ReadonlyMap<string, ToolCost>> {
  const countTokens = await loadTokenCounter()
  const costs = new Map<string, ToolCost>()
  const add = (server: string, more: ToolCost) => {
    const { tools, disabled, tokens } = costs.get(server) ?? { tools: 0, disabled: 0, tokens: 0 }
    costs.set(server, {
      tools: tools + more.tools,
      disabled: disabled + more.disabled,
      tokens: tokens + more.tokens,
    })
  }
  for (const tool of known.tools) {
    if (visible.get(tool.id) !== undefined) {
      add(tool.sourceId, { tools: 1, disabled: 0, tokens: countTokens(JSON.stringify(listInFull(tool))) })
    } else if (tool.disabled !== undefined) {
      add(tool.sourceId, { tools: 0, disabled: 1, tokens: 0 })
    }
  }
  return costs
}
