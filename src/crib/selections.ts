// Sets of tools, cached as long as their snapshot: the tools that exist for a caller, the visible ones, and the index.

import { filterSnapshot, type Snapshot } from '../catalog/tool-set.ts'
import type { Optional } from '../core/call.ts'
import { groupBy, setNewest } from '../core/collections.ts'
import { type Rights, rightsKey } from '../core/rights.ts'
import type { DescribedTool, Tool, ToolId } from '../core/tool.ts'
import { existsFor, isVisible, type Scope } from '../rules/visibility.ts'
import type { Index, Ranker } from '../search/ranker.ts'

interface Selection<T extends DescribedTool = Tool> {
  readonly visible: Snapshot<T>
  ids(): ReadonlySet<ToolId>
}

export interface Selections<T extends DescribedTool = Tool> {
  /** Callers with the same context share one filtered set, separately with and without a session. */
  visibleIn(all: Snapshot<T>, scope: Scope): Selection<T>
  idsOf(visible: Snapshot<T>, source: string): ReadonlySet<ToolId>
  countOf(visible: Snapshot<T>, source: string): number
  indexOf(all: Snapshot<T>): Promise<Index>
}

interface LastSelection<T extends DescribedTool> extends Optional<Pick<Scope, 'context' | 'hasSession'>> {
  readonly all: Snapshot<T>
  readonly selection: Selection<T>
}

const NONE: ReadonlySet<ToolId> = new Set()

export function createSelections<T extends DescribedTool = Tool>(ranker: Ranker<T>): Selections<T> {
  const selections = new WeakMap<Snapshot<T>, Map<string, Selection<T>>>()
  const bySource = new WeakMap<Snapshot<T>, ReadonlyMap<string, ReadonlySet<ToolId>>>()
  const indexes = new WeakMap<Snapshot<T>, Promise<Index>>()
  /** The selection that `visibleIn` last found in its cache: most callers get the same one. */
  let last: LastSelection<T> | undefined
  /** The last index. The ranker reuses its unchanged parts. */
  let latest: Index | undefined

  const idsOf = (visible: Snapshot<T>, source: string): ReadonlySet<ToolId> => {
    const known = bySource.get(visible) ?? groupIds(visible)
    bySource.set(visible, known)
    return known.get(source) ?? NONE
  }
  return {
    visibleIn(all, scope) {
      const { context, hasSession } = scope
      if (last?.all === all && last.context === context && last.hasSession === hasSession) return last.selection
      const known = selections.get(all) ?? new Map<string, Selection<T>>()
      selections.set(all, known)
      const key = JSON.stringify([context, hasSession])
      const found = known.get(key)
      if (found !== undefined) {
        last = { all, context, hasSession, selection: found }
        return found
      }
      const visible = filterSnapshot(all, (tool) => isVisible(tool, scope))
      let ids: ReadonlySet<ToolId> | undefined
      const selection: Selection<T> = {
        visible,
        ids() {
          ids ??= new Set(visible.tools.map((tool) => tool.id))
          return ids
        },
      }
      known.set(key, selection)
      return selection
    },
    idsOf,
    countOf: (visible, source) => idsOf(visible, source).size,
    indexOf(all) {
      const known = indexes.get(all)
      if (known !== undefined) return known
      // Built for all callers, so a caller's abort does not end it. A failed build is removed and tried again by the
      // next caller.
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

function groupIds(visible: Snapshot<DescribedTool>): ReadonlyMap<string, ReadonlySet<ToolId>> {
  const bySource = groupBy(visible.tools, ({ sourceId }) => sourceId)
  return new Map([...bySource].map(([source, tools]) => [source, new Set(tools.map(({ id }) => id))]))
}

/** Callers with the same rights share one set. If nothing is hidden or limited, the set is the snapshot itself. */
export type AllowedTools = (all: Snapshot, rights: Rights | undefined) => Snapshot

interface AllowedSet {
  readonly all: Snapshot
  readonly allowed: Snapshot
}

/** Sets are kept for this many different rights. Each set can have a search index. */
const MAX_SETS = 128

export function createAllowedTools(maxSets = MAX_SETS): AllowedTools {
  /** In the order of their last use. */
  const sets = new Map<string, AllowedSet>()
  /** The set of callers without limits. It is kept outside of `sets`, because most calls need it. */
  let unlimited: AllowedSet | undefined
  return (all, rights) => {
    if (rights === undefined) {
      if (unlimited?.all !== all) unlimited = renew(all, rights, unlimited)
      return unlimited.allowed
    }
    const key = rightsKey(rights)
    const before = sets.get(key)
    const current = before?.all === all ? before : renew(all, rights, before)
    setNewest(sets, key, current, maxSets)
    return current.allowed
  }
}

/** The set stays the same object if the same tools exist, so that its search index stays valid. */
function renew(all: Snapshot, rights: Rights | undefined, before: AllowedSet | undefined): AllowedSet {
  const allowed = filterSnapshot(all, (tool) => existsFor(tool, rights))
  if (rights === undefined && allowed.tools.length === all.tools.length) return { all, allowed: all }
  const isSame =
    before?.allowed.tools.length === allowed.tools.length &&
    allowed.tools.every((tool, position) => tool === before.allowed.tools[position])
  return { all, allowed: isSame ? before.allowed : allowed }
}
