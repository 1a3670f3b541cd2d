// Follows references such as `#/$defs/point` inside a JSON document (JSON Pointer, RFC 6901).

/**
 * The target of a reference inside the same document. Undefined for a missing target, an anchor or another document.
 */
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
