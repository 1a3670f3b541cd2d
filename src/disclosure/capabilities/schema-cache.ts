// Schemas made once for each tool, and a count of how often that paid.

export interface SchemaCacheStats {
  readonly hits: number
  readonly misses: number
}

export interface SchemaCache<K extends object, V> {
  get(tool: K, make: (tool: K) => V): V
  stats(): SchemaCacheStats
}

/** Kept as long as the tool itself: one that changed is another object, and made anew. */
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
