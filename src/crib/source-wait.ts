// Lets a request wait for sources with unknown tools.

import type { Catalog } from '../catalog/catalog.ts'
import type { Caller } from '../core/call.ts'
import { type Needs, sourcesNeeded } from '../disclosure/needs.ts'
import { compileRights } from '../rules/rights.ts'
import type { Request } from './request.ts'
import type { AllowedTools } from './selections.ts'

/**
 * Resolves when the sources that a request needs have listed their tools, or when the wait is over. Undefined if there
 * is nothing to wait for.
 */
export type SourceWait = (
  needs: Needs | (() => Needs),
  request: Pick<Request, 'caller' | 'signal'>,
) => Promise<void> | undefined

/**
 * Waits for each source once, `waitMs` from its first start, so that a server that never answers delays only the first
 * request. A call that names a server waits for that server again, because the call needs only this server, and a new
 * start after a failure may succeed.
 *
 * A request neither starts nor waits for a source outside the rights of its caller.
 */
export function createSourceWait(catalog: Catalog, allowedTools: AllowedTools, waitMs: number): SourceWait {
  /**
   * The fast path of most calls: true if the request names one server, and there is nothing to wait for. An old list
   * of the server is then refreshed in the background.
   */
  const isSettled = (needs: Needs, caller: Caller, isAllowed: (id: string) => boolean): boolean => {
    if (needs === 'all' || needs.tools !== undefined || needs.servers?.length !== 1) return false
    const [id = ''] = needs.servers
    if (!isAllowed(id)) return true
    const source = catalog.source(id)
    if (source === undefined || source.settle?.(needs.withSchemas, caller) !== undefined) return false
    source.revalidate?.(caller)
    return true
  }
  let lastSources: Catalog['sources'] | undefined
  let isAlwaysKnown = false
  /** True if all sources know their tools at any time, as those of commands do. Cached until the sources change. */
  const areAllKnown = (): boolean => {
    if (catalog.sources === lastSources) return isAlwaysKnown
    lastSources = catalog.sources
    isAlwaysKnown = lastSources.every(({ settle, revalidate }) => settle === undefined && revalidate === undefined)
    return isAlwaysKnown
  }
  const wait = async (
    needs: Needs,
    { caller, signal }: Parameters<SourceWait>[1],
    isAllowed: (id: string) => boolean,
  ): Promise<void> => {
    const { rights } = caller
    const all = () => catalog.sources.map(({ id }) => id).filter(isAllowed)
    const needed = sourcesNeeded(needs, allowedTools(await catalog.snapshot(signal), rights), all)
    const ids = needed === 'all' ? all() : needed.filter(isAllowed)
    if (ids.length === 0) return
    // Missing and old lists are refreshed in the background.
    for (const id of ids) catalog.source(id)?.revalidate?.(caller)
    const { isCall = false, withSchemas = false } = needs === 'all' ? {} : needs
    await catalog.settle(signal, { waitMs, ids, countsFromStart: needed === 'all' || !isCall, withSchemas, caller })
  }
  return (given, request) => {
    if (areAllKnown()) return undefined
    const { caller } = request
    const { rights } = caller
    const needs = typeof given === 'function' ? given() : given
    const isAllowed = rights === undefined ? allowAll : compileRights(rights).allowsServer
    return isSettled(needs, caller, isAllowed) ? undefined : wait(needs, request, isAllowed)
  }
}

function allowAll(): boolean {
  return true
}
