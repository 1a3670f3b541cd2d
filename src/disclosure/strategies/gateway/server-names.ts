// The names of the servers, for a tool description that tells a model what it can search.

import type { SourceView } from '../../view.ts'

/** A text never has more tokens than bytes, so this bounds the tokens for any names. */
const MAX_BYTES = 240

/**
 * The servers with the most tools first, then by name, then `+N more`. The text stays the same while the servers do.
 */
export function createServerNames(): (sources: readonly SourceView[]) => string {
  let known: { readonly key: string; readonly text: string } | undefined
  return (sources) => {
    const key = JSON.stringify(sources.map(({ id }) => id).toSorted())
    // Cached: the text must not change when a server lists more tools, because clients cache it.
    if (known?.key !== key) known = { key, text: describe(sources) }
    return known.text
  }
}

function describe(sources: readonly SourceView[]): string {
  const sorted = sources.toSorted((a, b) => (b.toolCount ?? 0) - (a.toolCount ?? 0) || (a.id < b.id ? -1 : 1))
  const shown: string[] = []
  let bytes = 0
  for (const { id } of sorted) {
    bytes += Buffer.byteLength(id) + 2
    if (bytes > MAX_BYTES) break
    shown.push(id)
  }
  const hidden = sorted.length - shown.length
  return [...shown, ...(hidden === 0 ? [] : [`+${hidden} more`])].join(', ')
}
