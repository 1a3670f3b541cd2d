// Finds options of a hybrid listing that have no effect: a pattern that matches no tool, or a core that is not listed.

import { createCoreSet, LEARNED } from '../../disclosure/strategies/listing/core-set.ts'
import type { View } from '../../disclosure/view.ts'
import { oneLine } from '../output/text.ts'

/** `hasListing`: the strategy has the option `listing`, and shows the core only with `hybrid`. */
export async function coreProblems(
  options: Readonly<Record<string, unknown>>,
  hasListing: boolean,
  view: View,
): Promise<readonly string[]> {
  const { core, coreBudget, listing = 'auto' } = options
  const budget = coreBudget === undefined ? undefined : whyNoBudget(core ?? (hasListing ? LEARNED : undefined))
  const isListed = !hasListing || listing === 'hybrid'
  if (!isListed) {
    const given = [...(core === undefined ? [] : ['core']), ...(coreBudget === undefined ? [] : ['core budget'])]
    if (given.length === 0 || (core === LEARNED && coreBudget === undefined)) return []
    const are = given.length === 1 ? 'has no effect: it applies' : 'have no effect: they apply'
    return [`The ${given.join(' and the ')} ${are} with the listing 'hybrid', and the listing is '${listing}'.`]
  }
  const problems: string[] = budget === undefined ? [] : [budget]
  if (core === undefined || core === LEARNED) return problems
  for (const pattern of [core].flat().map(String)) {
    if (pattern.startsWith('!')) continue
    const named = await createCoreSet({ core: [pattern], coreBudget: 0 }, undefined)(view)
    if (named.length === 0) problems.push(`No tool matches '${oneLine(pattern)}', so it adds nothing to the core.`)
  }
  return problems
}

/** Undefined if the budget has an effect. */
function whyNoBudget(core: unknown): string | undefined {
  if (core === LEARNED) return undefined
  const why = core === undefined ? 'no core is set' : 'this core names its tools'
  return `The core budget has no effect: it limits a learned core, and ${why}.`
}
