// What is derived from a snapshot and kept as long as it is: visible sets, their ids and counts, the index.

import { filterSnapshot, type Snapshot } from '../catalog/snapshot.ts'
import type { ToolId } from '../core/tool.ts'
import { isVisible, type Scope } from '../rules/visibility.ts'
import type { Index, Ranker } from '../search/ranker.ts'

export interface Selection {
  readonly visible: Snapshot
  readonly ids: ReadonlySet<ToolId>
}

export interface Selections {
  /** Callers who see the same tools share one filtered set. */
  visibleIn(all: Snapshot, scope: Scope): Selection
  idsOf(visible: Snapshot, source: string): ReadonlySet<ToolId>
  countOf(visible: Snapshot, source: string): number
  indexOf(all: Snapshot): Promise<Index>
}

const NONE: ReadonlySet<ToolId> = new Set()

export function createSelections(ranker: Ranker): Selections {
  const selections = new WeakMap<Snapshot, Map<string | undefined, Selection>>()
  const bySource = new WeakMap<Snapshot, ReadonlyMap<string, ReadonlySet<ToolId>>>()
  const indexes = new WeakMap<Snapshot, Promise<Index>>()
  /** What has not changed since need not be read again. */
  let latest: Index | undefined

  const idsOf = (visible: Snapshot, source: string): ReadonlySet<ToolId> => {
    const known = bySource.get(visible) ?? groupIds(visible)
    bySource.set(visible, known)
    return known.get(source) ?? NONE
  }
  return {
    visibleIn(all, scope) {
      const known = selections.get(all) ?? new Map<string | undefined, Selection>()
      selections.set(all, known)
      const found = known.get(scope.context)
      if (found !== undefined) return found
      const visible = filterSnapshot(all, (tool) => isVisible(tool, scope))
      const selection = { visible, ids: new Set(visible.tools.map((tool) => tool.id)) }
      known.set(scope.context, selection)
      return selection
    },
    idsOf,
    countOf: (visible, source) => idsOf(visible, source).size,
    indexOf(all) {
      const known = indexes.get(all)
      if (known !== undefined) return known
      // Built for everyone, so no caller's going away ends it; what failed is tried again by the next.
      const index = ranker(all, new AbortController().signal, latest)
      indexes.set(all, index)
      index.then(
        (built) => {
          latest = built
        },
        () => indexes.delete(all),
      )
      return index
    },
  }
}

function groupIds(visible: Snapshot): ReadonlyMap<string, ReadonlySet<ToolId>> {
  const groups = new Map<string, Set<ToolId>>()
  for (const { sourceId, id } of visible.tools) {
    const group = groups.get(sourceId)
    if (group === undefined) groups.set(sourceId, new Set([id]))
    else group.add(id)
  }
  return groups
}
