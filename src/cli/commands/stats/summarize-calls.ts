// Counts calls and errors and computes the latency, by server and by tool, from the records of the audit log.

import type { ErrorCode } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'

export interface CallFigures {
  readonly calls: number
  readonly errors: number
  readonly medianMs: number
  readonly p95Ms: number
}

export interface CallStats extends CallFigures {
  readonly name: string
}

interface CallSummary {
  readonly total: CallFigures
  /** Calls of names that did not exist, so they belong to no server and no tool. */
  readonly unknownNames: CallFigures
  readonly byServer: readonly CallStats[]
  readonly byTool: readonly CallStats[]
}

const NOT_FOUND: ReadonlySet<unknown> = new Set<ErrorCode>(['SERVER_NOT_FOUND', 'TOOL_NOT_FOUND', 'COMMAND_NOT_FOUND'])

interface Sample {
  durations: number[]
  errors: number
}

export async function summarizeCalls(records: AsyncIterable<unknown>): Promise<CallSummary> {
  const servers = new Map<string, Sample>()
  const tools = new Map<string, Sample>()
  const total: Sample = { durations: [], errors: 0 }
  const unknownNames: Sample = { durations: [], errors: 0 }
  for await (const record of records) {
    if (!isRecord(record) || record.event !== 'call') continue
    const { server, tool, outcome, durationMs } = record
    if (typeof server !== 'string' || typeof tool !== 'string' || typeof durationMs !== 'number') continue
    const samples = NOT_FOUND.has(outcome)
      ? [unknownNames]
      : [sampleOf(servers, server), sampleOf(tools, `${server}:${tool}`)]
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

function sampleOf(samples: Map<string, Sample>, name: string): Sample {
  const sample = samples.get(name) ?? { durations: [], errors: 0 }
  samples.set(name, sample)
  return sample
}

/** The most called first. */
function statsOf(samples: ReadonlyMap<string, Sample>): readonly CallStats[] {
  return [...samples]
    .map(([name, sample]) => ({ name, ...figuresOf(sample) }))
    .sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
}

function figuresOf({ durations, errors }: Sample): CallFigures {
  const ordered = durations.toSorted((a, b) => a - b)
  const quantile = (share: number) =>
    Math.round(ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))] ?? 0)
  return { calls: ordered.length, errors, medianMs: quantile(0.5), p95Ms: quantile(0.95) }
}
