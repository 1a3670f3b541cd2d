// Counts the tokens of the list of all tools, which a client pays without the gateway.

import { listInFull } from '../../disclosure/listed.ts'
import { countListing } from '../../disclosure/strategies/listing/tool-cost.ts'
import type { View } from '../../disclosure/view.ts'

export async function fullListTokens({ visible }: Pick<View, 'visible'>): Promise<number> {
  return visible.tools.length === 0 ? 0 : countListing(visible.tools.map(listInFull))
}
