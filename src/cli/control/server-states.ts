// How the servers of a running gateway are, in the words of list_mcp_servers.

import type { Gateway } from '../../crib/from-config.ts'
import { type ServerSummary, summarize } from '../../disclosure/gateway/list-servers.ts'

export async function serverStates({ crib }: Gateway): Promise<readonly ServerSummary[]> {
  const view = await crib.inspect(AbortSignal.timeout(10_000))
  return view.sources.map(summarize)
}
