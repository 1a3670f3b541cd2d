// Counts the successful calls of each tool. Counts halve every two weeks. All processes with the same store share them.

import { isRecord } from '../core/is-record.ts'
import type { ToolId } from '../core/tool.ts'
import type { UsageProvider } from '../disclosure/strategy.ts'
import type { Store } from '../storage/store.ts'

export interface Usage extends UsageProvider {
  /** The number of calls of each tool. Returns the same map until a call is counted or the counts are saved. */
  counts(): ReadonlyMap<ToolId, number>
  /** Counts one call of the tool. */
  note(id: ToolId): void
  /** Writes new counts to the store. */
  save(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface UsageOptions {
  readonly store: Store
  readonly now?: () => number
  readonly saveEveryMs?: number
  readonly maxTools?: number
  onProblem?(error: unknown): void
}

export const USAGE_KEY = 'usage'
const HALF_LIFE_MS = 14 * 24 * 60 * 60 * 1_000

/** A count, and the time at which it had this value. */
interface Count {
  readonly count: number
  readonly at: number
}

/** Reads the stored counts first, so that they are available at once. */
export async function openUsage(options: UsageOptions): Promise<Usage> {
  const { store, now = Date.now, saveEveryMs = 30_000, maxTools = 2_000, onProblem = () => {} } = options
  /** The calls that are not saved yet. */
  const fresh = new Map<ToolId, number>()
  const stored: unknown = await store.get(USAGE_KEY).catch(() => undefined)
  let known = parse(stored)
  if (stored !== undefined && known.size === 0 && !(isRecord(stored) && Object.keys(stored).length === 0)) {
    onProblem(
      new Error('The stored numbers of calls are damaged or from another version of Toolcrib; they start again at 0'),
    )
  }
  let counted: ReadonlyMap<ToolId, number> | undefined
  let timer: NodeJS.Timeout | undefined
  let saving: Promise<void> = Promise.resolve()

  const total = (id: ToolId) => worthOf(known.get(id) ?? { count: 0, at: now() }, now()) + (fresh.get(id) ?? 0)
  const ranked = () =>
    [...new Set([...known.keys(), ...fresh.keys()])]
      .map((id) => ({ id, count: total(id) }))
      .toSorted((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))

  const saveOnce = async () => {
    if (fresh.size === 0) return
    let next = known
    let saved: ReadonlyMap<ToolId, number> = new Map()
    // Other processes write too, so the calls of this process are added to the counts that are stored now.
    const addFresh = (current: unknown) => {
      saved = new Map(fresh)
      known = parse(current)
      const counts = ranked().slice(0, maxTools)
      next = new Map(counts.map(({ id, count }) => [id, { count, at: now() }]))
      return Object.fromEntries(next)
    }
    try {
      // In one step if the store can do that: no count is then lost when two processes save at the same time.
      // Otherwise the read is strict: counts that cannot be read now must not be replaced.
      if (store.update === undefined) {
        await store.set(USAGE_KEY, addFresh(await store.get(USAGE_KEY, { isStrict: true })))
      } else await store.update(USAGE_KEY, addFresh)
    } catch (error) {
      return onProblem(error)
    }
    known = next
    counted = undefined
    for (const [id, count] of saved) {
      // Calls that were noted during the save are left.
      const left = (fresh.get(id) ?? 0) - count
      if (left > 0) fresh.set(id, left)
      else fresh.delete(id)
    }
  }
  const save = () => {
    clearTimeout(timer)
    timer = undefined
    saving = saving.then(saveOnce)
    return saving
  }

  return {
    top: (limit) =>
      ranked()
        .slice(0, limit)
        .map(({ id }) => id),
    counts() {
      counted ??= new Map(ranked().map(({ id, count }) => [id, count]))
      return counted
    },
    note(id) {
      counted = undefined
      fresh.set(id, (fresh.get(id) ?? 0) + 1)
      timer ??= setTimeout(() => void save(), saveEveryMs).unref()
    },
    save,
    [Symbol.asyncDispose]: save,
  }
}

/** The number of calls of each tool, for a program that only reads them. */
export async function storedCounts(store: Pick<Store, 'get'>, now = Date.now()): Promise<ReadonlyMap<ToolId, number>> {
  const counts = parse(await store.get(USAGE_KEY))
  return new Map([...counts].map(([id, count]) => [id, worthOf(count, now)]))
}

/** The count at the time `now`. Older calls count less. */
function worthOf({ count, at }: Count, now: number): number {
  return count * 0.5 ** (Math.max(0, now - at) / HALF_LIFE_MS)
}

/** Returns a `Usage` at once. Calls that are noted before `opening` resolves are counted when it does. */
export function whenOpened(opening: Promise<Usage>): Usage {
  const save = async () => (await opening).save()
  let counts: Usage['counts'] = () => new Map()
  void opening.then((usage) => {
    counts = usage.counts
  })
  return {
    top: async (limit) => (await opening).top(limit),
    counts: () => counts(),
    note: (id) => void opening.then((usage) => usage.note(id)),
    save,
    [Symbol.asyncDispose]: save,
  }
}

function parse(value: unknown): ReadonlyMap<ToolId, Count> {
  return new Map(
    Object.entries(isRecord(value) ? value : {}).flatMap(([id, entry]) => {
      const { count, at } = isRecord(entry) ? entry : {}
      return typeof count === 'number' && count > 0 && typeof at === 'number' ? [[id, { count, at }] as const] : []
    }),
  )
}
