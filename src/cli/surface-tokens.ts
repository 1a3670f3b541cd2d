// What a client pays for the list of tools: all of them, or the few that the gateway shows.

import type { Crib } from '../crib/crib.ts'
import { listInFull } from '../disclosure/listed.ts'
import { countListing } from '../disclosure/listing/tool-cost.ts'
import type { View } from '../disclosure/view.ts'

export interface SurfaceTokens {
  readonly without: number
  readonly with: number
}

export async function surfaceTokens(
  crib: Pick<Crib, 'list'>,
  { visible, caller }: Pick<View, 'visible' | 'caller'>,
  signal: AbortSignal,
): Promise<SurfaceTokens> {
  return {
    without: visible.tools.length === 0 ? 0 : await countListing(visible.tools.map(listInFull)),
    with: await countListing(await crib.list({ caller, signal })),
  }
}
