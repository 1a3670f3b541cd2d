// Examples for tools whose author wrote none: the smallest arguments that the tool would accept.

import type { Snapshot } from '../../catalog/snapshot.ts'
import type { Tool } from '../../core/tool.ts'
import { examplesOf } from '../examples.ts'
import type { InventoryCategory } from './inventory.ts'

export type AddExamples = (
  categories: readonly InventoryCategory[],
  visible: Snapshot,
) => Promise<readonly InventoryCategory[]>

/** An inventory of more has no room for them, and each takes a check of its schema. */
const MAX_TOOLS = 60
/** Nothing has to be given, which is no news. */
const NOTHING = '{}'

/** Made once for each tool. */
export function createMadeUpExamples(): AddExamples {
  const known = new WeakMap<Tool, Promise<string | undefined>>()
  const exampleOf = (tool: Tool | undefined) => {
    if (tool === undefined || (tool.traits.examples ?? []).length > 0) return undefined
    const made = known.get(tool) ?? makeUp(tool)
    known.set(tool, made)
    return made
  }
  return async (categories, visible) => {
    const count = categories.reduce((sum, { tools }) => sum + tools.length, 0)
    if (count > MAX_TOOLS) return categories
    return Promise.all(
      categories.map(async (category) => ({
        ...category,
        tools: await Promise.all(
          category.tools.map(async (tool) => ({ ...tool, madeUp: await exampleOf(visible.find(tool.name)) })),
        ),
      })),
    )
  }
}

async function makeUp({ inputSchema, validate }: Tool): Promise<string | undefined> {
  const [first] = await examplesOf({ inputSchema, validate })
  const text = first === undefined ? NOTHING : JSON.stringify(first.parameters)
  return text === NOTHING ? undefined : text
}
