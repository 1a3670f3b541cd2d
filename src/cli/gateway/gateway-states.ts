// Reads the states of servers from all running gateways. If they differ, the state with the highest rank counts.

import { isRecord } from '../../core/is-record.ts'
import type { ServerSummary } from '../../disclosure/strategies/gateway/pages.ts'
import type { Work } from '../output/work.ts'
import { askGateways } from './ask-gateways.ts'
import type { ServerCondition } from './unreachable.ts'

/** `known` is the lowest: it only means that the server does not run in that gateway. */
const RANK: Readonly<Record<ServerSummary['state'], number>> = { connected: 3, starting: 2, failed: 1, known: 0 }

/** Undefined if no gateway runs. */
export async function statesOfGateways({
  environment,
  signal,
}: Pick<Work, 'environment' | 'signal'>): Promise<ReadonlyMap<string, ServerCondition> | undefined> {
  const answers = await askGateways(environment.stateDir, 'status', signal)
  if (answers.length === 0) return undefined
  const states = new Map<string, ServerCondition>()
  for (const { reply } of answers) {
    for (const summary of summariesIn(reply)) {
      const { name, state, reason } = summary
      const before = states.get(name)
      if (before !== undefined && RANK[before.state] >= RANK[state]) continue
      states.set(name, { state, ...(reason === undefined ? {} : { reason }) })
    }
  }
  return states
}

function summariesIn(reply: Readonly<Record<string, unknown>>): readonly ServerSummary[] {
  const { servers } = reply
  // A gateway of another version may send other fields; a name and a state are enough.
  return Array.isArray(servers)
    ? servers.filter(
        (one): one is ServerSummary => isRecord(one) && typeof one.name === 'string' && String(one.state) in RANK,
      )
    : []
}
