// Lets a request wait for sources with unknown tools.

import type { Catalog } from '../catalog/catalog.ts'
import type { StopSignal } from '../core/stop-signal.ts'
import { type Needs, sourcesNeeded } from '../disclosure/needs.ts'

/** Resolves when the sources that a request needs have listed their tools, or when the wait is over. */
type SourceWait = (needs: Needs | (() => Needs), signal: StopSignal) => Promise<void>

/**
 * Waits for each source once, `waitMs` from its first start, so that a server that never answers delays only the first
 * request. A call that names a server waits for that server again, because it needs no other and a new start after a
 * failure may succeed.
 */
export function createSourceWait(catalog: Catalog, waitMs: number): SourceWait {
  const all = () => catalog.sources.map(({ id }) => id)
  /** Most calls name one server, and its tools are known. */
  const isSettled = (needs: Needs): boolean => {
    if (needs === 'all' || needs.tools !== undefined || needs.servers?.length !== 1) return false
    const source = catalog.source(needs.servers[0] ?? '')
    if (source === undefined || source.settle?.(needs.withSchemas) !== undefined) return false
    source.revalidate?.()
    return true
  }
  return async (asked, signal) => {
    // Commands of this process are always known, so their requests skip the rest.
    if (catalog.sources.every(({ settle, revalidate }) => settle === undefined && revalidate === undefined)) return
    const needs = typeof asked === 'function' ? asked() : asked
    if (isSettled(needs)) return
    const needed = sourcesNeeded(needs, await catalog.snapshot(signal), all)
    const ids = needed === 'all' ? all() : needed
    if (ids.length === 0) return
    // The sources start, or look for changes, in the background.
    for (const id of ids) catalog.source(id)?.revalidate?.()
    const { isCall = false, withSchemas = false } = needs === 'all' ? {} : needs
    await catalog.settle(signal, { waitMs, ids, isOnce: needed === 'all' || !isCall, withSchemas })
  }
}
