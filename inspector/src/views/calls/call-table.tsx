// The calls, the latest first. A row opens to show the rest of its record.

import { useState } from 'preact/hooks'
import { bytes, clock, dateTime, milliseconds } from '../../format.ts'
import type { NumberedCall } from '../../gateway/calls-stream.ts'
import { Badge } from '../../parts/badge.tsx'
import { JsonBlock } from '../../parts/code-block.tsx'
import { ServerText } from '../../parts/server-text.tsx'
import { hrefTo } from '../../route.ts'

/** The number of rows at first, and of rows that each click adds. Hundreds of rows are slow to draw with each call. */
const STEP = 50

export function CallTable({ calls }: { readonly calls: readonly NumberedCall[] }) {
  const [shown, setShown] = useState(STEP)
  const [openKey, setOpenKey] = useState<number>()
  const toggle = (key: number) => setOpenKey((before) => (before === key ? undefined : key))
  return (
    <>
      <table class="calls">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Tool</th>
            <th scope="col">Outcome</th>
            <th scope="col" class="number">
              Duration
            </th>
            <th scope="col" class="wide-only">
              Caller
            </th>
            <th scope="col" class="number wide-only">
              Result size
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.slice(0, shown).map((call) => (
            <CallRow key={call.key} call={call} isOpen={openKey === call.key} onToggle={() => toggle(call.key)} />
          ))}
        </tbody>
      </table>
      {calls.length > shown && (
        <div class="more">
          <button type="button" class="button" onClick={() => setShown(shown + STEP)}>
            Show more calls
          </button>
        </div>
      )}
    </>
  )
}

interface CallRowProps {
  readonly call: NumberedCall
  readonly isOpen: boolean
  onToggle(): void
}

function CallRow({ call, isOpen, onToggle }: CallRowProps) {
  const isOk = call.outcome === 'ok'
  return (
    <>
      <tr class={isOk ? 'call' : 'call is-error'}>
        <td title={dateTime(call.time)}>
          <button type="button" class="row-toggle" aria-expanded={isOpen} onClick={onToggle}>
            <span class="visually-hidden">Details of the call at </span>
            {clock(call.time)}
          </button>
        </td>
        <td class="mono call-tool">
          <ServerText text={`${call.server}:${call.tool}`} />
        </td>
        <td class="call-outcome">
          <Badge tone={isOk ? 'ok' : 'bad'}>{call.outcome}</Badge>
        </td>
        <td class="number call-duration">{milliseconds(call.durationMs)}</td>
        <td class="wide-only">
          <ServerText text={call.principal} /> <span class="quiet call-transport">{call.transport}</span>
        </td>
        <td class="number wide-only">{call.resultBytes === undefined ? '–' : bytes(call.resultBytes)}</td>
      </tr>
      {isOpen && (
        <tr class="call-more">
          <td colSpan={6}>
            <CallDetails call={call} />
          </td>
        </tr>
      )}
    </>
  )
}

function CallDetails({ call }: { readonly call: NumberedCall }) {
  return (
    <div class="stack">
      <dl class="facts">
        <dt>Tool</dt>
        <dd>
          <a class="mono" href={hrefTo('tools', `${call.server}:${call.tool}`)}>
            <ServerText text={`${call.server}:${call.tool}`} />
          </a>
        </dd>
        <dt>Caller</dt>
        <dd>
          <ServerText text={call.principal} /> over {call.transport}
        </dd>
        <dt>Time</dt>
        <dd>{dateTime(call.time)}</dd>
        <dt>Sizes</dt>
        <dd>
          arguments {bytes(call.argumentBytes)}
          {call.resultBytes !== undefined && `, result ${bytes(call.resultBytes)}`}
        </dd>
      </dl>
      {call.argumentShape !== undefined && (
        <JsonBlock
          title="Shape of the arguments, without values"
          value={call.argumentShape}
          label="Shape of the arguments"
        />
      )}
    </div>
  )
}
