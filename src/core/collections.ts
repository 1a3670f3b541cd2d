// Groups values, keeps maps small, and works through many items without blocking other requests.

import { setImmediate as nextTurn } from 'node:timers/promises'

/** Like `Map.groupBy`, which Node 20 does not have. Groups are in the order of their first value. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>()
  for (const value of values) getOrMake(groups, keyOf(value), () => []).push(value)
  return groups
}

/** Sets an entry and makes it the newest. Deletes the oldest entry if the map then has more than `maxEntries`. */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  // Deleted first, because a map keeps the position of a key that is set again.
  map.delete(key)
  map.set(key, value)
  if (map.size > maxEntries) map.delete(map.keys().next().value as K) // the map is not empty
}

/** The value of a key. Calls `make` and keeps its result if the map has no such key. */
export function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

const SLICE_MS = 3

/** Works in slices of a few milliseconds. Other requests are answered between two slices. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => unknown): Promise<void> {
  let sliceStartedAt = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - sliceStartedAt < SLICE_MS) continue
    await nextTurn()
    sliceStartedAt = performance.now()
  }
}
