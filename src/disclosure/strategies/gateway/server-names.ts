// Lists the names of the servers for the description of search_tools, so that a model knows what it can search.

import { setNewest } from '../../../core/collections.ts'
import { rightsKey } from '../../../core/rights.ts'
import type { SourceView, View } from '../../view.ts'

/** A text never has more tokens than bytes, so this bounds the tokens for any names. */
const MAX_BYTES = 240
/** The maximum number of cached texts: one for each combination of rights and servers. */
const MAX_TEXTS = 256

/**
 * The servers with the most tools first, then by name, then `+N more`. The text stays the same while the servers do.
 */
export function createServerNames(): (view: Pick<View, 'caller' | 'sources'>) => string {
  const known = new Map<string, string>()
  return ({ caller, sources }) => {
    // The key has the rights, because the order for one caller must not depend on tools that exist only for another.
    const key = JSON.stringify([rightsKey(caller.rights), ...sources.map(({ id }) => id).toSorted()])
    // The text must not change when a server lists more tools, because clients cache it.
    const text = known.get(key) ?? listNames(sources)
    setNewest(known, key, text, MAX_TEXTS)
    return text
  }
}

function listNames(sources: readonly SourceView[]): string {
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
