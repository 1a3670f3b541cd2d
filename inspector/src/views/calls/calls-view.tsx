// Live calls: charts over time, and each call as it happens.

import { useEffect, useMemo, useState } from 'preact/hooks'
import { count, number } from '../../format.ts'
import { MAX_CALLS, type NumberedCall, useCalls } from '../../gateway/calls-stream.ts'
import { Badge } from '../../parts/badge.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Select } from '../../parts/select.tsx'
import { Empty, Failure, Skeleton } from '../../parts/state.tsx'
import { hrefTo } from '../../route.ts'
import type { GatewayData } from '../view-props.ts'
import { CallTable } from './call-table.tsx'
import { Charts } from './charts.tsx'

export function CallsView({ data: { overview } }: { readonly data: GatewayData }) {
  const [isPaused, setIsPaused] = useState(false)
  const [text, setText] = useState('')
  const [server, setServer] = useState('')
  const [outcome, setOutcome] = useState('')
  const { calls, isConnected, failure, waiting, isIncomplete } = useCalls(isPaused)
  const found = useMemo(
    () => (calls ?? []).filter((call) => isWanted(call, text, server, outcome)),
    [calls, text, server, outcome],
  )
  const servers = useMemo(() => [...new Set((calls ?? []).map((call) => call.server))].sort(), [calls])
  const codes = useMemo(
    () => [...new Set((calls ?? []).map((call) => call.outcome))].filter((code) => code !== 'ok').sort(),
    [calls],
  )
  const errors = found.filter((call) => call.outcome !== 'ok').length
  return (
    <>
      <PageHead
        title="Live calls"
        name="Live calls"
        actions={
          <button type="button" class="button" aria-pressed={isPaused} onClick={() => setIsPaused(!isPaused)}>
            {isPaused ? `Resume${waiting > 0 ? ` (${number(waiting)} new)` : ''}` : 'Pause'}
          </button>
        }
      >
        <Badge tone={isConnected ? (isPaused ? 'plain' : 'ok') : 'warn'}>
          <span class="dot" aria-hidden="true" />
          {isConnected ? (isPaused ? 'paused' : 'live') : 'connecting'}
        </Badge>{' '}
        {overview.caller.isUnlimited ? 'The calls of all callers' : 'Your calls'}
        {isIncomplete && ' · some calls are left out'}
      </PageHead>
      <Charts />
      {failure !== undefined && <Failure failure={failure} what="The stream of calls is interrupted." />}
      <section class="card stack" aria-labelledby="latest">
        <div class="card-head">
          <h2 id="latest">Latest calls</h2>
          <p class="quiet">
            {calls !== undefined && `${summaryOf(found.length, calls.length)}, ${count(errors, 'error')}`}
          </p>
        </div>
        <search class="filters filters-flat">
          <SearchField label="Filter by tool or caller" value={text} onInput={setText} />
          <Select label="Server" value={server} options={servers} onChange={setServer} />
          <Select label="Outcome" value={outcome} options={['ok', 'any error', ...codes]} onChange={setOutcome} />
        </search>
        {calls === undefined && failure === undefined && <Skeleton lines={8} label="Loading the calls" />}
        {calls?.length === 0 && (
          <Empty title="No calls yet">
            Calls appear here as they happen. <a href={hrefTo('try')}>Try a tool</a> to make one.
          </Empty>
        )}
        {calls !== undefined && calls.length > 0 && found.length === 0 && (
          <Empty title="No calls match these filters" />
        )}
        {found.length > 0 && <CallTable calls={found} />}
        <Announce calls={calls} />
      </section>
    </>
  )
}

/** The page keeps at most `MAX_CALLS` calls, so there may be older calls. */
function summaryOf(found: number, all: number): string {
  const calls = all < MAX_CALLS ? count(all, 'call') : `the last ${count(all, 'call')}`
  return found === all ? calls : `${number(found)} of ${calls}`
}

/** Tells screen readers about new errors only, because the calls are too many to be read aloud. */
function Announce({ calls }: { readonly calls: readonly NumberedCall[] | undefined }) {
  const [first, setFirst] = useState<number>()
  useEffect(() => setFirst((before) => before ?? calls?.[0]?.key ?? (calls === undefined ? undefined : 0)), [calls])
  const failed = calls?.find((call) => call.outcome !== 'ok' && first !== undefined && call.key > first)
  return (
    <p class="visually-hidden" role="status">
      {failed !== undefined && `${failed.server}:${failed.tool} failed with ${failed.outcome}`}
    </p>
  )
}

function isWanted(call: NumberedCall, text: string, server: string, outcome: string): boolean {
  if (server !== '' && call.server !== server) return false
  if (outcome === 'any error' ? call.outcome === 'ok' : outcome !== '' && call.outcome !== outcome) return false
  const words = `${call.server}:${call.tool} ${call.principal}`.toLowerCase()
  return words.includes(text.trim().toLowerCase())
}
