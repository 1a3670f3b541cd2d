// The states of the servers of a running gateway, in the format of list_mcp_servers.

import { withTimeout } from '../../core/with-timeout.ts'
import type { Gateway } from '../../crib/from-config.ts'
import { type ServerSummary, summarizeServer } from '../../disclosure/strategies/gateway/page-of-servers.ts'

export async function serverStates({ crib }: Gateway): Promise<readonly ServerSummary[]> {
  const view = await withTimeout(10_000, new AbortController().signal, (patience) => crib.inspect(patience))
  return view.sources.map(summarizeServer)
}
