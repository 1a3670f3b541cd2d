// Calls by server and by tool, each with what its part of the full list costs.

import { columns, milliseconds, number, oneLine } from '../output/text.ts'
import type { CallStats } from './summarize-calls.ts'

export interface CallRow extends CallStats {
  /** Whether the config in force has it. */
  readonly inForce: boolean
  /** What a client pays for it in the full list; of all sessions so far. */
  readonly listTokens: number
  readonly baselineTokens: number
}

export interface ListCost {
  readonly tokens: number
  readonly sessions: number
}

/** What was called comes first, as it is ordered; then what never was. */
export function callRows(called: readonly CallStats[], costs: ReadonlyMap<string, ListCost>): readonly CallRow[] {
  const idle = [...costs.keys()]
    .filter((name) => !called.some((one) => one.name === name))
    .map((name): CallStats => ({ name, calls: 0, errors: 0, medianMs: 0, p95Ms: 0 }))
  return [...called, ...idle].map((stats) => {
    const { tokens, sessions } = costs.get(stats.name) ?? { tokens: 0, sessions: 0 }
    return { ...stats, inForce: costs.has(stats.name), listTokens: tokens, baselineTokens: tokens * sessions }
  })
}

export function callTable(what: string, rows: readonly CallRow[]): readonly string[] {
  const head = [what, 'calls', 'errors', 'median', 'p95', 'full list', 'all sessions']
  return columns([head, ...rows.map(cells)]).map((line) => `  ${line}`)
}

function cells({ name, calls, errors, medianMs, p95Ms, inForce, listTokens, baselineTokens }: CallRow): string[] {
  const times = calls === 0 ? ['-', '-'] : [milliseconds(medianMs), milliseconds(p95Ms)]
  const tokens = inForce ? [number(listTokens), number(baselineTokens)] : ['not in the config', '']
  return [oneLine(name) || '(none)', number(calls), number(errors), ...times, ...tokens]
}
