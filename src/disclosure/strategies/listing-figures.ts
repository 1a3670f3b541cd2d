// Counts the tokens of tools/list for the same tools under each variant of each strategy, to help users choose one.

import type { View } from '../view.ts'
import { strategies } from './builtins.ts'
import { createStrategy, type StrategyEnvironmentInput } from './create-strategy.ts'
import { countListing } from './listing/tool-cost.ts'

interface MeasuredListing {
  /** The name of the strategy, followed by the name of the variant if it has one. */
  readonly name: string
  readonly strategy: string
  readonly options: Readonly<Record<string, unknown>>
}

export const measuredListings: readonly MeasuredListing[] = [...strategies.values()].flatMap((plugin) =>
  Object.entries(plugin.variants).map(([variant, options]) => ({
    name: `${plugin.name} ${variant}`.trimEnd(),
    strategy: plugin.name,
    options,
  })),
)

export async function listingFigures(
  view: View,
  environment: StrategyEnvironmentInput,
): Promise<Readonly<Record<string, number>>> {
  const figures: Record<string, number> = {}
  for (const { name, strategy, options } of measuredListings) {
    figures[name] = await countListing(await createStrategy(strategy, options, environment).strategy.list(view))
  }
  return figures
}
