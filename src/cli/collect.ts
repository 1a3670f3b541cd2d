// All pages of what the gateway's tools answer in pages.

import type { CommandError } from '../core/result.ts'
import { isRecord } from '../core/schema.ts'
import type { ServerSummary } from '../disclosure/gateway/list-servers.ts'
import type { Session } from './session.ts'

const PAGE = 200

export interface ListedTool {
  readonly name: string
  readonly summary: string
  readonly enabled: boolean
  readonly tags?: readonly string[]
}

interface Failed {
  readonly error: CommandError
}

export async function collectServers(
  session: Session,
): Promise<{ readonly servers: readonly ServerSummary[] } | Failed> {
  const all = await collect<ServerSummary>(session, 'list_mcp_servers', {}, 'servers')
  return 'error' in all ? all : { servers: all.items }
}

export async function collectTools(
  session: Session,
  args: { readonly server: string; readonly includeDisabled: boolean },
): Promise<{ readonly tools: readonly ListedTool[]; readonly reason?: string } | Failed> {
  const all = await collect<ListedTool>(session, 'list_tools', args, 'tools')
  if ('error' in all) return all
  return { tools: all.items, ...(all.reason === undefined ? {} : { reason: all.reason }) }
}

async function collect<T>(
  session: Session,
  tool: string,
  args: object,
  key: string,
): Promise<{ readonly items: readonly T[]; readonly reason?: string } | Failed> {
  const items: T[] = []
  for (;;) {
    const { data, error } = await session.ask(tool, { ...args, offset: items.length, limit: PAGE })
    if (error !== undefined) return { error }
    if (!isRecord(data)) return { items }
    // What this tool of ours answers, and its own tests pin.
    const page = data[key] as readonly T[]
    items.push(...page)
    if (data.hasMore !== true || page.length === 0) {
      return { items, ...(typeof data.reason === 'string' ? { reason: data.reason } : {}) }
    }
  }
}
