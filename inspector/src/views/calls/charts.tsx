// The charts over a time span: calls, latency and, if they are recorded, tokens saved.

import { useState } from 'preact/hooks'
import type { InspectorUsage } from '../../../../src/front/inspector/api.ts'
import { count, milliseconds, number, tokens } from '../../format.ts'
import { useLatest } from '../../gateway/use-latest.ts'
import { useResource } from '../../gateway/use-resource.ts'
import { Segments } from '../../parts/segments.tsx'
import { Failure } from '../../parts/state.tsx'
import { Chart } from './chart.tsx'

const SPANS = [
  ['60', '1 hour'],
  ['360', '6 hours'],
  ['1440', '24 hours'],
] as const
const REFRESH_MS = 10_000

export function Charts() {
  const [minutes, setMinutes] = useState<(typeof SPANS)[number][0]>('60')
  const { data, failure, reload } = useResource<InspectorUsage>(`api/usage?minutes=${minutes}`, REFRESH_MS)
  const usage = useLatest(data, false)
  const sum = (values: readonly number[] | undefined) => (values ?? []).reduce((total, value) => total + value, 0)
  const times = usage === undefined ? [] : timesOf(usage)
  const saved = usage?.tokensSaved
  const total = sum(saved)
  return (
    <section class="stack" aria-label="Charts">
      <div class="card-head">
        <h2>Over time</h2>
        <Segments label="Time span" value={minutes} options={SPANS} onChange={(next) => setMinutes(next)} />
      </div>
      {failure !== undefined && <Failure failure={failure} what="The charts cannot be loaded." onRetry={reload} />}
      <div class="charts">
        <Chart
          title="Calls"
          summary={usage && `${count(sum(usage.calls), 'call')}, ${count(sum(usage.errors), 'error')}`}
          format={number}
          times={times}
          kind="bars"
          series={[
            { name: 'calls', tone: 'accent', values: usage?.calls ?? [] },
            { name: 'errors', tone: 'bad', values: usage?.errors ?? [] },
          ]}
        />
        <Chart
          title="Latency"
          summary={usage && latencyText(usage)}
          format={milliseconds}
          times={times}
          kind="lines"
          series={[
            { name: 'median', tone: 'accent', values: usage?.p50 ?? [] },
            { name: 'p95', tone: 'warn', values: usage?.p95 ?? [] },
          ]}
        />
        {(usage === undefined || saved !== undefined) && (
          <Chart
            title="Tokens saved"
            summary={usage && (total < 0 ? `costs ${tokens(-total)} more` : tokens(total))}
            format={number}
            times={times}
            kind="bars"
            series={[
              { name: 'saved', tone: 'ok', values: (saved ?? []).map((n) => Math.max(0, n)) },
              { name: 'costs more', tone: 'warn', values: (saved ?? []).map((n) => Math.min(0, n)) },
            ]}
          />
        )}
      </div>
    </section>
  )
}

/** The middle of each slot, in seconds. */
function timesOf({ startedAt, slotMs, calls }: InspectorUsage): readonly number[] {
  const start = new Date(startedAt).getTime()
  return calls.map((_, at) => (start + (at + 0.5) * slotMs) / 1_000)
}

/** The values of the latest slot with a call. */
function latencyText({ p50, p95 }: InspectorUsage): string {
  const at = p50.findLastIndex((value) => value !== null)
  const [middle, high] = [p50[at], p95[at]]
  if (middle === undefined || middle === null) return 'no call'
  return `latest median ${milliseconds(middle)}${typeof high === 'number' ? `, p95 ${milliseconds(high)}` : ''}`
}
