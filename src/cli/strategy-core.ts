// What is odd about the core of a hybrid listing: a pattern that no tool has the name for, a core where none is listed.

import { createCoreSet, LEARNED } from '../disclosure/listing/core-set.ts'
import type { View } from '../disclosure/view.ts'
import { oneLine } from './output/text.ts'

/** `hasListing`: the strategy takes a listing, and only one of them shows the core. */
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
    return [`The ${given.join(' and the ')} ${are} under the listing hybrid, and this is ${listing}.`]
  }
  const problems: string[] = budget === undefined ? [] : [budget]
  if (core === undefined || core === LEARNED) return problems
  for (const pattern of [core].flat().map(String)) {
    if (pattern.startsWith('!')) continue
    const named = await createCoreSet({ core: [pattern], coreBudget: 0 }, undefined)(view)
    if (named.length === 0) problems.push(`No tool is called '${oneLine(pattern)}': it adds nothing to the core.`)
  }
  return problems
}

/** Undefined where the budget bounds something. */
function whyNoBudget(core: unknown): string | undefined {
  if (core === LEARNED) return undefined
  const why = core === undefined ? 'there is no core' : 'this core names its tools'
  return `The core budget has no effect: it bounds a learned core, and ${why}.`
}
