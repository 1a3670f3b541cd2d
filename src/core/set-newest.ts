// Keeps a map small: the oldest entry makes room for a new one.

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
