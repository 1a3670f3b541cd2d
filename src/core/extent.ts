// Measures how large and how deep a value from outside is, without recursion.

interface Extent {
  /** Approximately the length of the JSON of the value. */
  readonly bytes: number
  readonly levels: number
}

/** Stops as soon as a limit is exceeded. The result then shows only that it was exceeded. */
export function extentOf(value: unknown, limits: { readonly maxBytes: number; readonly maxLevels: number }): Extent {
  let bytes = 0
  let levels = 0
  let level: readonly unknown[] = [value]
  while (level.length > 0 && bytes <= limits.maxBytes && levels <= limits.maxLevels) {
    const next: unknown[] = []
    for (const one of level) {
      if (typeof one === 'string') bytes += one.length + 2
      else if (typeof one !== 'object' || one === null) bytes += 4
      else if (Array.isArray(one)) {
        bytes += 2 + one.length
        for (const item of one) next.push(item)
      } else {
        bytes += 2
        for (const [key, item] of Object.entries(one)) {
          bytes += key.length + 4
          next.push(item)
        }
      }
      if (bytes > limits.maxBytes) break
    }
    if (next.length > 0) levels++
    level = next
  }
  return { bytes, levels }
}
