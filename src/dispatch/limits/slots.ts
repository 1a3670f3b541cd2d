// Limits how many calls of a key run at the same time. Further calls wait; the groups, one per principal, take turns.

import type { StopSignal } from '../../core/stop-signal.ts'

export type SlotResult =
  | { readonly kind: 'free'; leave(): void }
  /** Too many calls wait already, or the call has waited too long. */
  | { readonly kind: 'full' }
  /** The slots that gateways share cannot be read. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'cancelled' }

export interface Slots {
  /** Takes one of `limit` slots of this key. In memory, it returns a promise only if the call must wait for a slot. */
  enter(key: string, limit: number, group: string, signal: StopSignal): SlotResult | Promise<SlotResult>
  /** The number of keys with calls that run or wait. */
  readonly size: number
  /** The number of calls that wait for a slot. */
  readonly waiting: number
}

interface SlotsOptions {
  /** How many calls of one group may wait for a key (default 100). */
  readonly maxWaiting?: number
  /** How long a call may wait (default 30,000, which is also the maximum wait for the start of a server). */
  readonly maxWaitMs?: number
}

interface KeySlots {
  running: number
  limit: number
  /** The waiting calls by group. The first group is the next one, and moves to the end after its turn. */
  readonly waiting: Map<string, Set<() => void>>
}

const MAX_WAITING = 100
export const MAX_WAIT_MS = 30_000

export function createSlots({ maxWaiting = MAX_WAITING, maxWaitMs = MAX_WAIT_MS }: SlotsOptions = {}): Slots {
  const slotsByKey = new Map<string, KeySlots>()
  let waiting = 0

  /** Starts waiting calls while slots are free. Forgets the key if it has no calls. */
  const startWaiting = (key: string, keySlots: KeySlots) => {
    while (keySlots.running < keySlots.limit) {
      const [turn] = keySlots.waiting
      if (turn === undefined) break
      const [group, calls] = turn
      const [start] = calls
      keySlots.waiting.delete(group)
      if (start === undefined) continue
      calls.delete(start)
      if (calls.size > 0) keySlots.waiting.set(group, calls)
      keySlots.running++
      start()
    }
    if (keySlots.running === 0 && keySlots.waiting.size === 0) slotsByKey.delete(key)
  }
  const slotOf = (key: string, keySlots: KeySlots): SlotResult => {
    let hasLeft = false
    return {
      kind: 'free',
      leave() {
        if (hasLeft) return
        hasLeft = true
        keySlots.running--
        startWaiting(key, keySlots)
      },
    }
  }
  const wait = (key: string, keySlots: KeySlots, group: string, signal: StopSignal): Promise<SlotResult> =>
    new Promise((resolve) => {
      const calls = keySlots.waiting.get(group) ?? new Set()
      keySlots.waiting.set(group, calls)
      waiting++
      const end = (result: SlotResult) => {
        waiting--
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        resolve(result)
      }
      const giveUp = (result: SlotResult) => {
        calls.delete(start)
        if (calls.size === 0 && keySlots.waiting.get(group) === calls) keySlots.waiting.delete(group)
        end(result)
      }
      const start = () => end(slotOf(key, keySlots))
      const cancel = () => giveUp({ kind: 'cancelled' })
      const timer = setTimeout(() => giveUp({ kind: 'full' }), maxWaitMs)
      timer.unref()
      signal.addEventListener('abort', cancel, { once: true })
      calls.add(start)
    })

  return {
    get size() {
      return slotsByKey.size
    },
    get waiting() {
      return waiting
    },
    enter(key, limit, group, signal) {
      const keySlots = slotsByKey.get(key) ?? { running: 0, limit, waiting: new Map() }
      slotsByKey.set(key, keySlots)
      // The configuration may have changed since the last call.
      keySlots.limit = limit
      if (keySlots.running < limit && keySlots.waiting.size === 0) {
        keySlots.running++
        return slotOf(key, keySlots)
      }
      if (signal.aborted) return { kind: 'cancelled' }
      if ((keySlots.waiting.get(group)?.size ?? 0) >= maxWaiting) return { kind: 'full' }
      const entering = wait(key, keySlots, group, signal)
      // If the limit was raised, waiting calls can start now.
      startWaiting(key, keySlots)
      return entering
    },
  }
}
