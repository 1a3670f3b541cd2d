// The names of the servers, for a description that tells a model what there is to look for.

import type { SourceView } from '../view.ts'

/** No text has more tokens than bytes, so this bounds the tokens whatever the servers are called. */
const MAX_BYTES = 240

/** Those with most tools first, then by name, `+N more`; the same text as long as the servers are the same. */
export function createServerNames(): (sources: readonly SourceView[]) => string {
  let known: { readonly key: string; readonly text: string } | undefined
  return (sources) => {
    const key = JSON.stringify(sources.map(({ id }) => id).toSorted())
    // Kept: a server that has found more tools is no reason to change what clients have cached.
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
