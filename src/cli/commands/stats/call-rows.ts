// Formats the calls by server and by tool as table rows, each with its tokens in the full list.

import { table } from '../../output/table.ts'
import { milliseconds, number, oneLine } from '../../output/text.ts'
import type { CallFigures, CallStats } from './summarize-calls.ts'

interface CallRow extends CallStats {
  /** Whether the config in force has the server or tool. */
  readonly inForce: boolean
  /** Whether a rule disables it. A disabled tool is not in the full list. */
  readonly isDisabled: boolean
  /** Its tokens in the full list, once and in all sessions so far. */
  readonly listTokens: number
  readonly baselineTokens: number
}

interface ListCost {
  readonly tokens: number
  readonly sessions: number
  readonly isDisabled?: boolean
}

/** One row per server or tool: those with calls first, in the given order, then the enabled ones without calls. */
export function callRows(called: readonly CallStats[], costs: ReadonlyMap<string, ListCost>): readonly CallRow[] {
  const idle = [...costs]
    .filter(([name, { isDisabled = false }]) => !isDisabled && !called.some((one) => one.name === name))
    .map(([name]): CallStats => ({ name, calls: 0, errors: 0, medianMs: 0, p95Ms: 0 }))
  return [...called, ...idle].map((stats) => {
    const { tokens, sessions, isDisabled = false } = costs.get(stats.name) ?? { tokens: 0, sessions: 0 }
    const listTokens = isDisabled ? 0 : tokens
    const baselineTokens = listTokens * sessions
    return { ...stats, inForce: costs.has(stats.name), isDisabled, listTokens, baselineTokens }
  })
}

/** The last two columns: the tokens in the full list, once and in all sessions so far. */
export function callTable(
  what: string,
  rows: readonly CallRow[],
  width: number,
  unknownNames?: CallFigures,
): readonly string[] {
  const head = [what, 'calls', 'errors', 'median', 'p95', 'tokens', 'all sessions']
  const hasUnknown = unknownNames !== undefined && unknownNames.calls > 0
  const rest = hasUnknown ? [['unknown names', ...figureCells(unknownNames), '-', '-']] : []
  return table(head, [...rows.map(rowCells), ...rest], width, '  ')
}

function rowCells(row: CallRow): readonly string[] {
  const { inForce, isDisabled, listTokens, baselineTokens } = row
  const isListed = inForce && !isDisabled
  const tokens = isListed ? [number(listTokens), number(baselineTokens)] : ['-', '-']
  const why = inForce ? 'disabled' : 'not in the config'
  return [`${oneLine(row.name)}${isListed ? '' : ` (${why})`}`, ...figureCells(row), ...tokens]
}

function figureCells({ calls, errors, medianMs, p95Ms }: CallFigures): readonly string[] {
  const times = calls === 0 ? ['-', '-'] : [milliseconds(medianMs), milliseconds(p95Ms)]
  return [number(calls), number(errors), ...times]
}
