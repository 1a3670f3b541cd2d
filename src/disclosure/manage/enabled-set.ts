// The tools a caller has enabled: at most so many, those used longest ago give way. Kept for the caller, seen by no other.

import type { Tool, ToolId } from '../../core/tool.ts'
import type { View } from '../view.ts'
import { createInTurn } from './in-turn.ts'

export interface EnabledSet {
  /** In no order that means anything to a listing. */
  idsFor(view: View): Promise<ReadonlySet<ToolId>>
  enable(tools: readonly Tool[], view: View): Promise<Change>
  disable(tools: readonly Tool[], view: View): Promise<Change>
  /** False where it is not enabled; else it counts as used just now. */
  use(tool: Tool, view: View): Promise<boolean>
}

export interface Change {
  readonly changed: readonly Tool[]
  readonly alreadySo: readonly Tool[]
  /** What was disabled to make room. */
  readonly gaveWay: readonly Tool[]
}

const KEY = 'enabled-tools'

/** No call may ask for more than `max` at once. */
export function createEnabledSet(max: number): EnabledSet {
  const inTurn = createInTurn()
  const update = <T>(
    { caller, state }: View,
    work: (ids: readonly ToolId[]) => { readonly next: readonly ToolId[]; readonly value: T },
  ): Promise<T> =>
    inTurn(JSON.stringify([caller.transport, caller.principal, caller.sessionId]), async () => {
      const ids = parseIds(await state.get(KEY))
      const { next, value } = work(ids)
      if (next.length !== ids.length || next.some((id, index) => id !== ids[index])) await state.set(KEY, next)
      return value
    })
  return {
    idsFor: async ({ state }) => new Set(parseIds(await state.get(KEY))),
    enable: (tools, view) =>
      update(view, (ids) => {
        const wanted = new Set(tools.map((tool) => tool.id))
        const others = ids.filter((id) => !wanted.has(id))
        const dropped = leastWorth(others, others.length + wanted.size - max, view)
        const changed = tools.filter((tool) => !ids.includes(tool.id))
        return {
          next: [...others.filter((id) => !dropped.has(id)), ...wanted],
          value: {
            changed,
            alreadySo: tools.filter((tool) => !changed.includes(tool)),
            gaveWay: view.visible.tools.filter((tool) => dropped.has(tool.id)),
          },
        }
      }),
    disable: (tools, view) =>
      update(view, (ids) => {
        const unwanted = new Set(tools.map((tool) => tool.id))
        const changed = tools.filter((tool) => ids.includes(tool.id))
        const alreadySo = tools.filter((tool) => !changed.includes(tool))
        return { next: ids.filter((id) => !unwanted.has(id)), value: { changed, alreadySo, gaveWay: [] } }
      }),
    use: ({ id }, view) =>
      update(view, (ids) =>
        ids.includes(id)
          ? { next: [...ids.filter((one) => one !== id), id], value: true }
          : { next: ids, value: false },
      ),
  }
}

/** What can no longer be called gives way first, then what was used longest ago. */
function leastWorth(ids: readonly ToolId[], count: number, { visible }: View): ReadonlySet<ToolId> {
  const gone = ids.filter((id) => visible.get(id) === undefined)
  const there = ids.filter((id) => visible.get(id) !== undefined)
  return new Set([...gone, ...there].slice(0, Math.max(0, count)))
}

/** The one used longest ago first. The store may hold anything, also what another version wrote. */
function parseIds(kept: unknown): readonly ToolId[] {
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []
}
