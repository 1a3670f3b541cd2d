// The parts of the HTTP door that depend on whether other gateways share the state.

import { randomBytes } from 'node:crypto'
import type { Store } from '../storage/store.ts'
import type { Activity } from './activity.ts'
import type { FleetLink } from './fleet-link.ts'
import { createParkedCalls, type ParkedCalls } from './parked-calls.ts'
import type { handOver } from './session-handover.ts'

interface FleetParts {
  readonly parked: ParkedCalls
  /** Absent if the store is not shared. */
  readonly fleet?: FleetLink
  readonly handover: { readonly shared?: Store; readonly handOver?: typeof handOver }
}

/** The code that hands over sessions and calls is loaded only if the store is shared with other gateways. */
export async function joinFleet(shared: Store | undefined, activity: Activity): Promise<FleetParts> {
  if (shared?.isShared !== true) return { parked: createParkedCalls(), handover: {} }
  const replica = randomBytes(8).toString('hex')
  const parked = createParkedCalls({ replica })
  const { linkGateways } = await import('./fleet-link.ts')
  const fleet = await linkGateways({ store: shared, replica, parked, activity })
  const { handOver } = await import('./session-handover.ts')
  return { parked, fleet, handover: { shared, handOver } }
}

export interface Readiness {
  readonly isStopping: boolean
  /** The state of the gateway, if other gateways share it. */
  readonly shared?: Store | undefined
  /** More parts that do not work as they should. */
  degraded?(): readonly string[]
}

/**
 * The answer of `/ready`. A gateway that cannot reach its store still answers calls, so it stays ready and says that it
 * is degraded: if it were not ready, an outage of Redis would take all gateways out of service.
 */
export function readiness({ isStopping, shared, degraded: more = () => [] }: Readiness): Response {
  if (isStopping) return Response.json({ status: 'stopping' }, { status: 503 })
  const degraded = [...(shared?.isDegraded?.() === true ? ['store'] : []), ...more()]
  return Response.json({ status: 'ready', ...(degraded.length === 0 ? {} : { degraded }) })
}
