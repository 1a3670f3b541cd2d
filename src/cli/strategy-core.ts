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
  const { core, listing = 'auto' } = options
  if (core === undefined || core === LEARNED) return []
  if (hasListing && listing !== 'hybrid')
    return [`The core has no effect: it is listed under the listing hybrid, and this is ${listing}.`]
  const problems: string[] = []
  for (const pattern of [core].flat().map(String)) {
    if (pattern.startsWith('!')) continue
    const named = await createCoreSet({ core: [pattern], coreBudget: 0 }, undefined)(view)
    if (named.length === 0) problems.push(`No tool is called '${oneLine(pattern)}': it adds nothing to the core.`)
  }
  return problems
}
