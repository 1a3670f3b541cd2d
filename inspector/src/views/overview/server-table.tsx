// The servers with their state. On a phone each row becomes a block.

import type { InspectorServer } from '../../../../src/front/inspector/api.ts'
import { ago, count, milliseconds, number } from '../../format.ts'
import { Badge, StateBadge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ServerText } from '../../parts/server-text.tsx'
import { Empty } from '../../parts/state.tsx'
import { TextWithCode } from '../../parts/text-with-code.tsx'
import { hrefTo } from '../../route.ts'

interface ServerTableProps {
  readonly servers: readonly InspectorServer[]
  readonly now: string
  /** False for a caller with limited rights. */
  readonly isUnlimited: boolean
}

export function ServerTable({ servers, now, isUnlimited }: ServerTableProps) {
  if (servers.length === 0 && !isUnlimited)
    return (
      <Empty title="No server is available to you">
        The gateway has no server that your token may use. The person who runs the gateway can change that.
      </Empty>
    )
  if (servers.length === 0)
    return (
      <Empty title="No server is in use">
        <code>toolcrib status</code> shows why. <code>toolcrib add NAME -- COMMAND</code> adds a server, and{' '}
        <code>toolcrib import --write</code> copies those of your clients.
      </Empty>
    )
  return (
    <table class="servers">
      <thead>
        <tr>
          <th scope="col">Server</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Tools
          </th>
          <th scope="col" class="number">
            Tokens
          </th>
          <th scope="col" class="number">
            Started in
          </th>
        </tr>
      </thead>
      <tbody>
        {servers.map((server) => (
          <ServerRow key={server.id} server={server} now={now} />
        ))}
      </tbody>
    </table>
  )
}

function ServerRow({ server, now }: { readonly server: InspectorServer; readonly now: string }) {
  const { id, description, transport, state, reason, command, startMs, startedAt, tools, disabledTools, warnings } =
    server
  // A server that has not listed its tools has no tokens either.
  const tokens = tools === undefined ? undefined : server.tokens
  const explanation = STATE_TEXTS[state]
  const isFine = [reason, command, explanation].every((text) => text === undefined)
  return (
    <tr class={isFine ? 'is-fine' : ''}>
      <th scope="row" class="server-name">
        <a class="mono" href={hrefTo('tools', undefined, { server: id })}>
          <ServerText text={id} />
        </a>{' '}
        <span class="quiet">
          {transport}
          {server.isShared === false && ', one connection per person'}
        </span>
        {description !== undefined && (
          <p class="quiet clamp">
            <ServerText text={description} />
          </p>
        )}
      </th>
      <td class="server-state">
        <span class="badges">
          <StateBadge state={state} />
          {warnings > 0 && <Badge tone="warn">{count(warnings, 'warning')}</Badge>}
        </span>
        {explanation !== undefined && <p class="quiet">{explanation}</p>}
        {reason !== undefined && (
          <p class="quiet clamp">
            <TextWithCode text={reason} />
          </p>
        )}
        {command !== undefined && (
          <p class="command">
            <code>{command}</code> <CopyButton text={command} what={`the command for ${id}`} />
          </p>
        )}
      </td>
      <td class={figureClass(tools)} data-label="Tools">
        {tools === undefined ? <Unknown /> : number(tools)}
        {disabledTools !== undefined && disabledTools > 0 && <p class="quiet">{number(disabledTools)} more disabled</p>}
      </td>
      <td class={figureClass(tokens)} data-label="Tokens">
        {tokens === undefined ? <Unknown /> : number(tokens)}
      </td>
      <td class={figureClass(startMs)} data-label="Started in">
        {startMs === undefined ? <Unknown /> : milliseconds(startMs)}
        {startedAt !== undefined && <p class="quiet">{ago(startedAt, now)}</p>}
      </td>
    </tr>
  )
}

/** Explains the states that need more than their name. */
const STATE_TEXTS: Readonly<Record<string, string>> = {
  known: 'Not connected. Its tools are known, and the next call connects to it.',
  unknown: 'Not connected. Its tools are not known yet.',
}

/** On a phone, unknown figures are left out. */
function figureClass(figure: number | undefined): string {
  return figure === undefined ? 'number is-unknown' : 'number'
}

function Unknown() {
  return (
    <span class="quiet">
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">unknown</span>
    </span>
  )
}
