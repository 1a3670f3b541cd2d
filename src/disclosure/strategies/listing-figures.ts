// The cost of tools/list under each strategy for the same tools, to help users choose one.

import type { View } from '../view.ts'
import { createStrategy, type StrategyEnvironmentInput } from './create-strategy.ts'
import { countListing } from './listing/tool-cost.ts'

/**
 * The key is the name of the figure: the strategy, and the options that differ from its defaults. Most models can call
 * only listed tools, so hidden tools are counted with `invoke_tool`.
 */
export const MEASURED_LISTINGS: Readonly<Record<string, readonly [strategy: string, options: object]>> = {
  individual: ['individual', {}],
  grouped: ['grouped', {}],
  lazy: ['lazy', {}],
  gateway: ['gateway', {}],
  manage: ['manage', {}],
  'categories stripped': ['categories', { listing: 'stripped' }],
  'categories hidden invoke': ['categories', { listing: 'hidden', invoke: true }],
  'categories hybrid invoke': ['categories', { listing: 'hybrid', invoke: true }],
  'capabilities stripped': ['capabilities', { listing: 'stripped' }],
  'capabilities hidden invoke': ['capabilities', { listing: 'hidden', invoke: true }],
  'capabilities hybrid invoke': ['capabilities', { listing: 'hybrid', invoke: true }],
  auto: ['auto', {}],
}

export async function listingFigures(
  view: View,
  environment: StrategyEnvironmentInput,
): Promise<Readonly<Record<string, number>>> {
  const figures: Record<string, number> = {}
  for (const [name, [strategy, options]] of Object.entries(MEASURED_LISTINGS)) {
    figures[name] = await countListing(await createStrategy(strategy, options, environment).strategy.list(view))
  }
  return figures
}
