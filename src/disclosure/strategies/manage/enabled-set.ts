// Keeps the set of tools that a caller has enabled, up to a maximum. The least recently used tools are evicted.

import type { Tool, ToolId } from '../../../core/tool.ts'
import type { View } from '../../view.ts'

export interface EnabledSet {
  /** The ids of the enabled tools, in no particular order. */
  idsFor(view: View): Promise<ReadonlySet<ToolId>>
  enable(tools: readonly Tool[], view: View): Promise<EnabledChange>
  disable(tools: readonly Tool[], view: View): Promise<EnabledChange>
  /** Returns false if the tool is not enabled. Else the tool counts as used now. */
  use(tool: Tool, view: View): Promise<boolean>
}

export interface EnabledChange {
  readonly changed: readonly Tool[]
  readonly unchanged: readonly Tool[]
  /** The visible tools that were disabled to make room. */
  readonly evicted: readonly Tool[]
}

const KEY = 'enabled-tools'

/** `max` is the maximum number of enabled tools. `manage_tools` refuses to enable more than that at once. */
export function createEnabledSet(max: number): EnabledSet {
  const enqueue = createKeyedQueue()
  const update = <T>(
    { caller, state }: View,
    work: (ids: readonly ToolId[]) => { readonly next: readonly ToolId[]; readonly value: T },
  ): Promise<T> =>
    // Not `callerKey`, which contains the rights: all tokens of a principal share one state, so they share a queue.
    enqueue(JSON.stringify([caller.transport, caller.principal, caller.sessionId]), async () => {
      const outcome: { value?: T } = {}
      const change = (kept: unknown): unknown => {
        const ids = parseIds(kept)
        const { next, value } = work(ids)
        outcome.value = value
        return next.length !== ids.length || next.some((id, index) => id !== ids[index]) ? next : kept
      }
      if (state.update === undefined) {
        const kept = await state.get(KEY)
        const next = change(kept)
        if (next !== kept) await state.set(KEY, next)
      } else await state.update(KEY, change)
      return outcome.value as T // `change` has run
    })
  return {
    idsFor: async ({ state }) => new Set(parseIds(await state.get(KEY))),
    enable: (tools, view) =>
      update(view, (ids) => {
        const wanted = new Set(tools.map((tool) => tool.id))
        const others = ids.filter((id) => !wanted.has(id))
        const evictedIds = idsToEvict(others, others.length + wanted.size - max, view)
        const changed = tools.filter((tool) => !ids.includes(tool.id))
        return {
          next: [...others.filter((id) => !evictedIds.has(id)), ...wanted],
          value: {
            changed,
            unchanged: tools.filter((tool) => !changed.includes(tool)),
            evicted: view.visible.tools.filter((tool) => evictedIds.has(tool.id)),
          },
        }
      }),
    disable: (tools, view) =>
      update(view, (ids) => {
        const unwanted = new Set(tools.map((tool) => tool.id))
        const changed = tools.filter((tool) => ids.includes(tool.id))
        const unchanged = tools.filter((tool) => !changed.includes(tool))
        return { next: ids.filter((id) => !unwanted.has(id)), value: { changed, unchanged, evicted: [] } }
      }),
    use: ({ id }, view) =>
      update(view, (ids) =>
        ids.includes(id)
          ? { next: [...ids.filter((one) => one !== id), id], value: true }
          : { next: ids, value: false },
      ),
  }
}

/** First the tools that can no longer be called, then the least recently used ones. */
function idsToEvict(ids: readonly ToolId[], count: number, { visible }: View): ReadonlySet<ToolId> {
  const gone = ids.filter((id) => visible.get(id) === undefined)
  const callable = ids.filter((id) => visible.get(id) !== undefined)
  return new Set([...gone, ...callable].slice(0, Math.max(0, count)))
}

/** The stored ids, the least recently used first. The store may contain anything, such as data of another version. */
function parseIds(kept: unknown): readonly ToolId[] {
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []
}

/** Runs work for the same key one after the other, so that no other work runs between a read and a write. */
type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>

function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work)
    // An error goes to the code that waits for this result. The next work starts anyway.
    const settled: Promise<unknown> = result
      .catch(() => {})
      .finally(() => {
        if (last.get(key) === settled) last.delete(key)
      })
    last.set(key, settled)
    return result
  }
}
