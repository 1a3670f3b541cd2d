// Summarizes the calls in the audit log by server and by tool, and formats them as a table.

import { getOrMake } from '../../../core/collections.ts'
import { isRecord } from '../../../core/is-record.ts'
import { UNKNOWN_NAME_CODES } from '../../../core/unknown-name-codes.ts'
import { quantile } from '../../../search/evaluate.ts'
import { milliseconds, number, oneLine, table } from '../../output/text.ts'

interface CallFigures {
  readonly calls: number
  readonly errors: number
  readonly medianMs: number
  readonly p95Ms: number
}

interface CallStats extends CallFigures {
  readonly name: string
}

interface Sample {
  durations: number[]
  errors: number
}

export async function summarizeCalls(records: AsyncIterable<unknown>) {
  const servers = new Map<string, Sample>()
  const tools = new Map<string, Sample>()
  const total = newSample()
  // Calls of names that do not identify one tool belong to no server and no tool.
  const unknownNames = newSample()
  for await (const record of records) {
    if (!isRecord(record) || record.event !== 'call') continue
    const { server, tool, outcome, durationMs } = record
    if (typeof server !== 'string' || typeof tool !== 'string' || typeof durationMs !== 'number') continue
    const samples = UNKNOWN_NAME_CODES.has(outcome)
      ? [unknownNames]
      : [getOrMake(servers, server, newSample), getOrMake(tools, `${server}:${tool}`, newSample)]
    for (const sample of [total, ...samples]) {
      sample.durations.push(durationMs)
      if (outcome !== 'ok') sample.errors += 1
    }
  }
  return {
    total: figuresOf(total),
    unknownNames: figuresOf(unknownNames),
    byServer: statsOf(servers),
    byTool: statsOf(tools),
  }
}

function newSample(): Sample {
  return { durations: [], errors: 0 }
}

/** Returns the figures of each server or tool, the most called first. */
function statsOf(samples: ReadonlyMap<string, Sample>): readonly CallStats[] {
  return [...samples]
    .map(([name, sample]) => ({ name, ...figuresOf(sample) }))
    .sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
}

function figuresOf({ durations, errors }: Sample): CallFigures {
  const quantileMs = (share: number) => Math.round(quantile(durations, share))
  return { calls: durations.length, errors, medianMs: quantileMs(0.5), p95Ms: quantileMs(0.95) }
}

interface CallRow extends CallStats {
  /** Whether the config in force has the server. For a tool: whether it is one of the known tools. */
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

/** Formats a table. Its last two columns are the tokens in the full list, once and in all sessions so far. */
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
  const why = inForce ? 'disabled' : 'not in use now'
  return [`${oneLine(row.name)}${isListed ? '' : ` (${why})`}`, ...figureCells(row), ...tokens]
}

function figureCells({ calls, errors, medianMs, p95Ms }: CallFigures): readonly string[] {
  const times = calls === 0 ? ['-', '-'] : [milliseconds(medianMs), milliseconds(p95Ms)]
  return [number(calls), number(errors), ...times]
}
