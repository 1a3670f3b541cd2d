// Collects all pages of the gateway tools that answer in pages.

import { isRecord } from '../../core/is-record.ts'
import type { CommandError, CommandResult } from '../../core/result.ts'
import type { ServerSummary } from '../../disclosure/strategies/gateway/list-servers.ts'
import type { CatalogReader } from './catalog-reader.ts'

const PAGE_SIZE = 200

export interface ToolOverview {
  readonly name: string
  readonly summary: string
  readonly enabled: boolean
  readonly tags?: readonly string[]
}

interface Page {
  readonly offset: number
  readonly limit: number
}

interface Failed {
  readonly error: CommandError
}

export async function collectServers(
  catalog: CatalogReader,
): Promise<{ readonly servers: readonly ServerSummary[] } | Failed> {
  const all = await collect<ServerSummary>('servers', (page) => catalog.ask('list_mcp_servers', page))
  return 'error' in all ? all : { servers: all.items }
}

export async function collectTools(
  catalog: CatalogReader,
  args: { readonly server: string; readonly includeDisabled: boolean },
): Promise<{ readonly tools: readonly ToolOverview[]; readonly reason?: string } | Failed> {
  const all = await collect<ToolOverview>('tools', (page) => catalog.ask('list_tools', { ...args, ...page }))
  if ('error' in all) return all
  return { tools: all.items, ...(all.reason === undefined ? {} : { reason: all.reason }) }
}

async function collect<T>(
  key: string,
  ask: (page: Page) => Promise<CommandResult>,
): Promise<{ readonly items: readonly T[]; readonly reason?: string } | Failed> {
  const items: T[] = []
  for (;;) {
    const { data, error } = await ask({ offset: items.length, limit: PAGE_SIZE })
    if (error !== undefined) return { error }
    if (!isRecord(data)) return { items }
    // The gateway's own tools return this shape; their tests check it.
    const page = data[key] as readonly T[]
    items.push(...page)
    if (data.hasMore !== true || page.length === 0) {
      return { items, ...(typeof data.reason === 'string' ? { reason: data.reason } : {}) }
    }
  }
}
