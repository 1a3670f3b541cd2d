// Searching in one snapshot for one scope: what is not visible is found by nobody.

import type { Snapshot } from '../catalog/tool-set.ts'
import type { DescribedTool, Tool } from '../core/tool.ts'
import type { Shelves } from '../disclosure/shelves.ts'
import { type Scope, visibilityOf } from '../rules/visibility.ts'
import type { Selections } from './selections.ts'

export type Finder = Pick<Shelves, 'search' | 'searchDisabled'>

export function createFinder<T extends DescribedTool = Tool>(
  all: Snapshot<T>,
  scope: Scope,
  selections: Selections<T>,
  signal: AbortSignal,
): Finder {
  return {
    async search(query, { limit, source }) {
      const { visible, ids } = selections.visibleIn(all, scope)
      const index = await selections.indexOf(all)
      if (source !== undefined) return index.search(query, { limit, within: selections.idsOf(visible, source), signal })
      // Where nothing is hidden nothing need be looked up.
      const isAll = visible.tools.length === all.tools.length
      return index.search(query, { limit, signal, ...(isAll ? {} : { within: ids() }) })
    },
    async searchDisabled(query, { limit, source }) {
      const disabled = all.tools.filter(
        (tool) => (source === undefined || tool.sourceId === source) && visibilityOf(tool, scope).degree === 'disabled',
      )
      if (disabled.length === 0) return []
      const index = await selections.indexOf(all)
      const within = new Set(disabled.map((tool) => tool.id))
      const hits = await index.search(query, { limit, within, signal })
      return hits.flatMap((hit) => all.get(hit.id)?.disabled ?? [])
    },
  }
}
