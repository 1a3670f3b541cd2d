// Links gateways with the same store by a common key and messages, so that each can continue the calls of the others.

import { loadSharedKey } from '../storage/shared-key.ts'
import type { Store } from '../storage/store.ts'
import type { Activity } from './activity.ts'
import type { ParkedCalls } from './parked-calls.ts'
import { type RelayedCalls, relayCalls } from './relayed-calls.ts'

export interface FleetLink {
  /** The key that binds the `requestState` of a server to its principal. */
  readonly stateKey: Uint8Array
  readonly relayed: RelayedCalls
  close(): void
}

interface LinkOptions {
  readonly store: Store
  /** The name of this gateway among those that share the store. */
  readonly replica: string
  readonly parked: ParkedCalls
  readonly activity: Activity
}

const KEY_NAME = 'key/request-state'

export async function linkGateways(options: LinkOptions): Promise<FleetLink> {
  const { store } = options
  let stateKey = await loadSharedKey(store, KEY_NAME)
  // If Redis was out of reach at the start, each gateway has made its own key. All of them use the one written last.
  const unwatch = store.watch?.(KEY_NAME, () => {
    void loadSharedKey(store, KEY_NAME).then((key) => {
      stateKey = key
    })
  })
  const relayed = relayCalls(options)
  return {
    get stateKey() {
      return stateKey
    },
    relayed,
    close() {
      unwatch?.()
      relayed.close()
    },
  }
}
