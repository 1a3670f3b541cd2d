// Figures about the calls that a caller may know about: per tool, and over time.

import { toolId } from '../../catalog/tool-set.ts'
import type { ToolId } from '../../core/tool.ts'
import { quantile } from '../../search/evaluate.ts'
import type { InspectorTool, InspectorUsage } from './api.ts'
import type { CallKey, PastCall } from './call-history.ts'
import type { Saving } from './inspector-options.ts'
import type { Visit } from './visit.ts'

/**
 * Returns a predicate: true if the caller may know about a call. A caller with limited rights may know its own calls
 * over HTTP, if their tools exist for it. It may also know its calls of unknown tools, because it chose those names.
 */
export function createMayKnow({ caller, view, isUnlimited }: Pick<Visit, 'caller' | 'view' | 'isUnlimited'>) {
  if (isUnlimited) return () => true
  return ({ principal, transport, server, tool, isUnknown }: CallKey): boolean =>
    principal === caller.principal &&
    transport === caller.transport &&
    (isUnknown || view.known.get(toolId(server, tool)) !== undefined)
}

/** The number of calls of each tool. */
export function countCalls(past: Iterable<PastCall>, visit: Visit): ReadonlyMap<ToolId, number> {
  const byKey = new Map<CallKey, number>()
  for (const { key } of past) byKey.set(key, (byKey.get(key) ?? 0) + 1)
  const mayKnow = createMayKnow(visit)
  const counts = new Map<ToolId, number>()
  for (const [key, calls] of byKey) {
    if (key.isUnknown || !mayKnow(key)) continue
    const id = toolId(key.server, key.tool)
    counts.set(id, (counts.get(id) ?? 0) + calls)
  }
  return counts
}

/** The figures of one tool. */
export function usageOf(id: ToolId, past: Iterable<PastCall>, visit: Visit): InspectorTool['usage'] {
  const mayKnow = createMayKnow(visit)
  const durations: number[] = []
  let errors = 0
  let last = 0
  for (const { key, durationMs, isError, time } of past) {
    if (key.isUnknown || toolId(key.server, key.tool) !== id || !mayKnow(key)) continue
    durations.push(durationMs)
    if (isError) errors++
    last = Math.max(last, time)
  }
  if (durations.length === 0) return { calls: 0, errors: 0 }
  const [p50Ms, p95Ms] = [percentile(durations, 0.5), percentile(durations, 0.95)]
  return { calls: durations.length, errors, lastCall: new Date(last).toISOString(), p50Ms, p95Ms }
}

const SLOTS = 60

/** Figures in equal time slots. A slot begins at a multiple of its length, so that a chart does not flicker. */
export function usageOver(
  minutes: number,
  now: number,
  past: Iterable<PastCall>,
  visit: Visit,
  savings: readonly Saving[] | undefined,
): InspectorUsage {
  const slotMs = (minutes * 60_000) / SLOTS
  const start = (Math.floor(now / slotMs) + 1 - SLOTS) * slotMs
  const mayKnow = createMayKnow(visit)
  const durations = Array.from({ length: SLOTS }, (): number[] => [])
  const errors = new Array<number>(SLOTS).fill(0)
  const saved = new Array<number>(SLOTS).fill(0)
  const slotOf = (time: number) => (time < start ? -1 : Math.min(SLOTS - 1, Math.floor((time - start) / slotMs)))
  for (const { time, durationMs, isError, key } of past) {
    const slot = slotOf(time)
    if (slot < 0 || !mayKnow(key)) continue
    durations[slot]?.push(durationMs)
    if (isError) errors[slot] = (errors[slot] ?? 0) + 1
  }
  for (const { time, tokens } of savings ?? []) {
    const slot = slotOf(time)
    if (slot >= 0) saved[slot] = (saved[slot] ?? 0) + tokens
  }
  const percentiles = (share: number) => durations.map((slot) => (slot.length === 0 ? null : percentile(slot, share)))
  return {
    slotMs,
    startedAt: new Date(start).toISOString(),
    calls: durations.map(({ length }) => length),
    errors,
    p50: percentiles(0.5),
    p95: percentiles(0.95),
    ...(savings === undefined ? {} : { tokensSaved: saved.map(Math.round) }),
  }
}

function percentile(values: readonly number[], share: number): number {
  return Math.round(quantile(values, share) * 100) / 100
}
