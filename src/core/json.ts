// Reads JSON values from outside: parses them, measures them, follows pointers in them and checks times.

/** Returns undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value if it is an array, else an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The target of `#/$defs/point` (RFC 6901). Undefined for a missing target, an anchor or another document. */
export function resolvePointer(reference: string, root: unknown): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  // Splits before it decodes: in `a%2Fb`, the slash is part of a key.
  for (const part of reference.slice(2).split('/')) {
    const key = unescapeKey(decodePercent(part))
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    // `at` is an object or an array with this own property, as checked above.
    at = (at as Readonly<Record<string, unknown>>)[key]
  }
  return at
}

/** The key behind one part of a pointer: `a~1b` is `a/b`. */
export function unescapeKey(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Keeps a part with malformed escapes as it is. */
function decodePercent(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The approximate length of the JSON of a value, and its levels. Stops counting as soon as a limit is exceeded. */
export function extentOf(value: unknown, limits: { readonly maxBytes: number; readonly maxLevels: number }) {
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

/** The largest time of a `Date`. For larger numbers, `toISOString` throws. */
const MAX_TIME_MS = 8.64e15

/** Whether a value is a time in milliseconds since 1970. */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS
}
