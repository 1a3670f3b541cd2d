// Searches one snapshot for one scope: `search` finds visible tools, `searchDisabled` tools that rules disable.

import type { Snapshot } from '../catalog/tool-set.ts'
import type { DescribedTool, Tool, ToolId } from '../core/tool.ts'
import type { SearchableCatalog } from '../disclosure/view.ts'
import { type Scope, visibilityOf } from '../rules/visibility.ts'
import { LEAST_RELEVANCE } from '../search/ranker.ts'
import type { Selections } from './selections.ts'

export type Finder = Pick<SearchableCatalog, 'search' | 'explain' | 'searchDisabled' | 'disabledWhere'>

interface FinderOptions {
  readonly signal: AbortSignal
  /** The number of calls of each tool; undefined if searches should not learn from it. */
  readonly learned?: (() => Learned | Promise<Learned>) | undefined
  /** Called after a search with the number of hits. */
  readonly onFound?: ((found: number) => void) | undefined
}

type Learned = ReadonlyMap<ToolId, number> | undefined

export function createFinder<T extends DescribedTool = Tool>(
  all: Snapshot<T>,
  scope: Scope,
  selections: Selections<T>,
  { signal, learned, onFound }: FinderOptions,
): Finder {
  const isDisabled = (tool: T) => visibilityOf(tool, scope).degree === 'disabled'
  return {
    disabledWhere: (test) =>
      all.tools.filter((tool) => test(tool) && isDisabled(tool)).flatMap(({ disabled }) => disabled ?? []),
    async search(query, { limit, source }) {
      const { visible, ids } = selections.visibleIn(all, scope)
      const index = await selections.indexOf(all)
      const usage = await learned?.()
      const options = { limit, signal, ...(usage === undefined ? {} : { usage }) }
      // If all tools are visible, no filter is needed.
      const isUnfiltered = source === undefined && visible.tools.length === all.tools.length
      const within = source === undefined ? ids : () => selections.idsOf(visible, source)
      const hits = await index.search(query, { ...options, ...(isUnfiltered ? {} : { within: within() }) })
      onFound?.(hits.length)
      return hits
    },
    async explain(query, id) {
      if (selections.visibleIn(all, scope).visible.get(id) === undefined) return undefined
      const explained = (await selections.indexOf(all)).explain?.(query, id)
      const calls = (await learned?.())?.get(id)
      return explained === undefined || calls === undefined ? explained : { ...explained, calls }
    },
    async searchDisabled(query, { limit, source }) {
      const disabled = all.tools.filter(
        (tool) => (source === undefined || tool.sourceId === source) && isDisabled(tool),
      )
      if (disabled.length === 0) return []
      const index = await selections.indexOf(all)
      const within = new Set(disabled.map((tool) => tool.id))
      const hits = await index.search(query, { limit, within, signal })
      return hits.flatMap(({ id, relevance }) => (relevance < LEAST_RELEVANCE ? [] : (all.get(id)?.disabled ?? [])))
    },
  }
}
