// Overview: what a client pays, the servers, and what needs attention.

import { count, duration, number } from '../../format.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { TextWithCode } from '../../parts/text-with-code.tsx'
import type { GatewayData } from '../view-props.ts'
import { CostCard } from './cost-card.tsx'
import { ServerTable } from './server-table.tsx'

export function OverviewView({ data: { overview } }: { readonly data: GatewayData }) {
  const { gateway, caller, servers, costs, problems, counting } = overview
  const upMs = new Date(gateway.now).getTime() - new Date(gateway.startedAt).getTime()
  return (
    <>
      <PageHead title="Overview" name="Overview">
        {gateway.name} {gateway.version} · strategy <code>{gateway.strategy}</code> · running for {duration(upMs)}
      </PageHead>
      {problems.length > 0 && (
        <section class="notice notice-warn" aria-label="Problems">
          <strong>{count(problems.length, 'problem')}</strong>
          <ul class="bullets">
            {problems.map((problem) => (
              <li key={problem}>
                <TextWithCode text={problem} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <CostCard costs={costs} hasTools={servers.some(({ tools = 0 }) => tools > 0)} counting={counting} />
      <section class="card stack" aria-labelledby="servers">
        <div class="card-head">
          <h2 id="servers">Servers</h2>
          <p class="quiet">{summaryOf(servers)}</p>
        </div>
        <ServerTable servers={servers} now={gateway.now} isUnlimited={caller.isUnlimited} />
      </section>
    </>
  )
}

function summaryOf(servers: GatewayData['overview']['servers']): string {
  const sum = (figure: 'tools' | 'disabledTools') => servers.reduce((total, server) => total + (server[figure] ?? 0), 0)
  const disabled = sum('disabledTools')
  const connected = servers.filter(({ state }) => state === 'connected').length
  const more = disabled > 0 ? `, ${number(disabled)} more disabled` : ''
  return `${number(connected)} of ${count(servers.length, 'server')} connected · ${count(sum('tools'), 'tool')}${more}`
}
