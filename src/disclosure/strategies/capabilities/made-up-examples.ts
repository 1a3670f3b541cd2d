// Makes up examples for tools without written ones: a valid example of the schema, else the smallest valid arguments.

import { setImmediate } from 'node:timers/promises'
import type { Snapshot } from '../../../catalog/snapshot.ts'
import type { Tool } from '../../../core/tool.ts'
import { examplesOf } from '../../examples.ts'
import type { InventoryCategory } from './inventory.ts'

type AddExamples = (
  categories: readonly InventoryCategory[],
  visible: Snapshot,
) => Promise<readonly InventoryCategory[]>

/** An inventory of more tools has no room for examples, and each example takes a validation. */
const MAX_TOOLS = 60
/** Validating a longer schema takes long, and its example would rarely be short. */
const MAX_SCHEMA_CHARS = 4_000
/** After this time, an answer makes no further examples. A later answer makes them. */
const MAX_MS = 200
/** Empty arguments are not worth showing. */
const NOTHING = '{}'

/** Makes one example per tool, one after the other, so that other requests are served in between. */
export function createMadeUpExamples(): AddExamples {
  const known = new WeakMap<Tool, string | undefined>()
  const make = async (tools: readonly Tool[]) => {
    const startedAt = performance.now()
    for (const tool of tools) {
      if (known.has(tool)) continue
      if (performance.now() - startedAt > MAX_MS) return
      known.set(tool, await makeUp(tool))
      await setImmediate()
    }
  }
  return async (categories, visible) => {
    const tools = categories.flatMap((category) => category.tools.flatMap(({ name }) => visible.find(name) ?? []))
    if (tools.length > MAX_TOOLS) return categories
    await make(tools)
    const argumentsFor = (name: string) => {
      const tool = visible.find(name)
      return tool === undefined ? undefined : known.get(tool)
    }
    return categories.map((category) => ({
      ...category,
      tools: category.tools.map((tool) => ({ ...tool, generatedArguments: argumentsFor(tool.name) })),
    }))
  }
}

async function makeUp({ inputSchema, validate, traits }: Tool): Promise<string | undefined> {
  if ((traits.examples ?? []).length > 0 || JSON.stringify(inputSchema).length > MAX_SCHEMA_CHARS) return undefined
  const [first] = await examplesOf({ inputSchema, validate })
  const text = first === undefined ? NOTHING : JSON.stringify(first.parameters)
  return text === NOTHING ? undefined : text
}
