// Groups, bounds and works through collections of values.

import { setImmediate as nextTurn } from 'node:timers/promises'

/** Like `Map.groupBy`, which Node 20 does not have. Groups are in the order of their first value. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

/** Sets an entry and makes it the newest. Deletes the oldest entry if the map then has more than `maxEntries`. */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  // Deleted first, because a map keeps the position of a key that is set again.
  map.delete(key)
  map.set(key, value)
  if (map.size <= maxEntries) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}

const SLICE_MS = 3

export async function inSlices<T>(items: Iterable<T>, work: (item: T) => unknown): Promise<void> {
  let sliceStartedAt = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - sliceStartedAt < SLICE_MS) continue
    await nextTurn()
    sliceStartedAt = performance.now()
  }
}
