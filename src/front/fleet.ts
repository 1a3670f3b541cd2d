// The parts of the HTTP door that depend on whether other gateways share the state.

import type { Store } from '../storage/store.ts'
import type { handOver } from './session-handover.ts'

/** The code that hands sessions over is loaded only if there is a gateway to hand them to. */
export async function handoverFor(
  shared: Store | undefined,
): Promise<{ readonly shared?: Store; readonly handOver?: typeof handOver }> {
  if (shared?.isShared !== true) return {}
  return { shared, handOver: (await import('./session-handover.ts')).handOver }
}

export interface Readiness {
  readonly isStopping: boolean
  /** The state of the gateway, if other gateways share it. */
  readonly shared: Store | undefined
}

/**
 * The answer of `/ready`. A gateway that cannot reach its store still answers calls, so it stays ready and says that it is
 * degraded: if it were not ready, an outage of Redis would take all gateways out of service.
 */
export function readiness({ isStopping, shared }: Readiness): Response {
  if (isStopping) return Response.json({ status: 'stopping' }, { status: 503 })
  const isDegraded = shared?.isDegraded?.() === true
  return Response.json({ status: 'ready', ...(isDegraded ? { degraded: ['store'] } : {}) })
}
