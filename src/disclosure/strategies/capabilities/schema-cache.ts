// Builds each tool's schema once, and counts cache hits and misses.

/** How often a schema was found in the cache, and how often it was built. */
export interface SchemaCacheStats {
  /** How often a schema was in the cache. */
  readonly hits: number
  /** How often a schema was built. */
  readonly misses: number
}

export interface SchemaCache<K extends object, V> {
  get(tool: K, make: (tool: K) => V): V
  stats(): SchemaCacheStats
}

/** An entry lives as long as its tool object. A changed tool is another object, and its schema is built again. */
export function createSchemaCache<K extends object, V>(): SchemaCache<K, V> {
  const kept = new WeakMap<K, { readonly value: V }>()
  let hits = 0
  let misses = 0
  return {
    get(tool, make) {
      const known = kept.get(tool)
      if (known !== undefined) {
        hits++
        return known.value
      }
      misses++
      const value = make(tool)
      kept.set(tool, { value })
      return value
    },
    stats: () => ({ hits, misses }),
  }
}
