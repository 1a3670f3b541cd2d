// Sets of tools, cached for each snapshot, and searches in them.

import { filterSnapshot, type Snapshot } from '../catalog/tool-set.ts'
import type { Optional } from '../core/call.ts'
import { groupBy, setNewest } from '../core/collections.ts'
import { type Rights, rightsKey } from '../core/rights.ts'
import type { DescribedTool, Tool, ToolId } from '../core/tool.ts'
import type { SearchableCatalog } from '../disclosure/view.ts'
import { existsFor, isVisible, type Scope, visibilityOf } from '../rules/visibility.ts'
import { type Index, LEAST_RELEVANCE, type Ranker } from '../search/ranker.ts'

interface Selection<T extends DescribedTool = Tool> {
  readonly visible: Snapshot<T>
  ids(): ReadonlySet<ToolId>
}

export interface Selections<T extends DescribedTool = Tool> {
  /** The visible tools. Cached for each context, separately for callers with and without a session. */
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
  let lastSelection: LastSelection<T> | undefined
  /** The ranker reuses its unchanged parts. */
  let lastIndex: Index | undefined

  const idsOf = (visible: Snapshot<T>, source: string): ReadonlySet<ToolId> => {
    const known = bySource.get(visible) ?? groupIds(visible)
    bySource.set(visible, known)
    return known.get(source) ?? NONE
  }
  return {
    visibleIn(all, scope) {
      const { context, hasSession } = scope
      const last = lastSelection
      if (last?.all === all && last.context === context && last.hasSession === hasSession) return last.selection
      const known = selections.get(all) ?? new Map<string, Selection<T>>()
      selections.set(all, known)
      const key = JSON.stringify([context, hasSession])
      const found = known.get(key)
      if (found !== undefined) {
        lastSelection = { all, context, hasSession, selection: found }
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
      const index = ranker(all, new AbortController().signal, lastIndex)
      indexes.set(all, index)
      index.then(
        (built) => {
          lastIndex = built
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

/**
 * The tools that exist for a caller: not hidden and within its rights. Callers with the same rights share one set. If
 * nothing is hidden or limited, the set is the snapshot itself.
 */
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

export type Finder = Pick<SearchableCatalog, 'search' | 'explain' | 'searchDisabled' | 'disabledWhere'>

interface FinderOptions {
  readonly signal: AbortSignal
  /** The number of calls of each tool; undefined if searches should not learn from it. */
  readonly learned?: (() => Learned | Promise<Learned>) | undefined
  /** Called after a search with the number of hits. */
  readonly onFound?: ((found: number) => void) | undefined
}

type Learned = ReadonlyMap<ToolId, number> | undefined

/** Searches one snapshot for one scope: `search` finds visible tools, `searchDisabled` tools that rules disable. */
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
