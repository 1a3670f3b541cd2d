// What a client pays for the list of tools: all of them, or the few that the gateway shows.

import { loadTokenCounter } from '../core/tokens.ts'
import { listInFull } from '../disclosure/listed.ts'
import type { Session } from './session.ts'

export interface SurfaceTokens {
  readonly without: number
  readonly with: number
}

export async function surfaceTokens({ gateway, view }: Session): Promise<SurfaceTokens> {
  const { visible, caller } = await view()
  const countTokens = await loadTokenCounter()
  const listed = await gateway.crib.list({ caller, signal: new AbortController().signal })
  return {
    without: visible.tools.length === 0 ? 0 : countTokens(JSON.stringify(visible.tools.map(listInFull))),
    with: countTokens(JSON.stringify(listed)),
  }
}
