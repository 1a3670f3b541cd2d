// Links gateways that share a store, so that each can continue the sessions and calls of the others.

import { randomBytes } from 'node:crypto'
import { loadSharedKey } from '../storage/shared-key.ts'
import type { Store } from '../storage/store.ts'
import type { Activity } from './activity.ts'
import { createParkedCalls, type ParkedCalls } from './long-call.ts'
import { type RelayedCalls, relayCalls } from './relayed-calls.ts'
import { type CreateHandover, createHandover } from './session-handover.ts'

export interface FleetLink {
  /** The key that binds the `requestState` of a server to the principal that received it. */
  readonly stateKey: Uint8Array
  readonly relayed: RelayedCalls
  close(): void
}

interface FleetParts {
  readonly parked: ParkedCalls
  readonly fleet: FleetLink
  readonly createHandover: CreateHandover
}

const KEY_NAME = 'key/request-state'

export async function joinFleet(store: Store, activity: Activity): Promise<FleetParts> {
  /** The name of this gateway among those that share the store. */
  const replica = randomBytes(8).toString('hex')
  const parked = createParkedCalls({ replica })
  let stateKey = await loadSharedKey(store, KEY_NAME)
  // If the store was out of reach at the start, each gateway has made its own key. All of them use the one written last.
  const unwatch = store.watch?.(KEY_NAME, () => {
    void loadSharedKey(store, KEY_NAME).then((key) => {
      stateKey = key
    })
  })
  const relayed = relayCalls({ store, replica, parked, activity })
  const fleet: FleetLink = {
    get stateKey() {
      return stateKey
    },
    relayed,
    close() {
      unwatch?.()
      relayed.close()
    },
  }
  return { parked, fleet, createHandover: (idleMs, local) => createHandover(store, idleMs, local) }
}
