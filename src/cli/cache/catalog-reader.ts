// The interface that `list`, `search` and `tools` read the catalog through: from the cache file or from the gateway.

import type { CommandResult } from '../../core/result.ts'
import type { ToolId } from '../../core/tool.ts'
import type { SearchableCatalog } from '../../disclosure/searchable-catalog.ts'
import type { ToolQuery } from '../../disclosure/strategies/gateway/find-tools.ts'
import type { ServerPageRequest } from '../../disclosure/strategies/gateway/page-of-servers.ts'
import type { ToolPageRequest } from '../../disclosure/strategies/gateway/page-of-tools.ts'
import type { Explanation } from '../../search/ranker.ts'
import { DamagedFile } from '../../storage/section-file.ts'
import type { ServerNeed } from '../gateway/ready-session.ts'
import type { ServingNote } from '../gateway/serving-notes.ts'
import type { Startable } from '../gateway/startable.ts'
import { recentFailures, type Unreached, unsetOf } from '../gateway/unreachable.ts'
import type { Output } from '../output/output.ts'
import type { Work } from '../output/work.ts'
import type { CachedServer, CatalogFile } from './catalog-file.ts'
import { readUsageCounts } from './read-usage-counts.ts'

/** The gateway tools that read the catalog, with their arguments. */
export interface ReadTools {
  readonly search_tools: ToolQuery
  readonly list_tools: ToolPageRequest
  readonly list_mcp_servers: ServerPageRequest
}

export interface CatalogReader {
  ask<Name extends keyof ReadTools>(tool: Name, args: ReadTools[Name]): Promise<CommandResult>
  view(): Promise<Pick<SearchableCatalog, 'visible' | 'known'>>
  /** Why a tool has its rank. Only the gateway can explain it; the cache cannot. */
  explain?(query: string, id: ToolId): Promise<Explanation | undefined>
  /** Servers that were never started, so their tools are unknown. */
  unknown(): Promise<readonly string[]>
  /** The unknown servers that could not be started, with the reasons. */
  readonly unreached: Unreached
  /** The enabled servers. */
  readonly startable: readonly Startable[]
  readonly switchedOff: readonly string[]
  /** Warnings about the rules. */
  ruleWarnings(): Promise<readonly string[]>
  /** True if the configuration switches discovery off. Such a catalog is not cached. */
  readonly isOff?: boolean
  /** Entries that are served under another name, or not served. */
  readonly notes: readonly ServingNote[]
  /** The note about config files of the current folder that are not used. */
  readonly note?: string | undefined
}

export interface CatalogNeed extends ServerNeed {
  /** The answer needs the gateway itself; the cache is not enough. */
  readonly isForGateway?: boolean
}

export type UseCatalog = (catalog: CatalogReader) => Promise<number>

/** `use` must print nothing before it has its answer, because a cache that is not enough makes it run again. */
export type WithCatalog = (work: Work, need: CatalogNeed, use: UseCatalog) => Promise<number>

const HANDLERS: {
  readonly [Name in keyof ReadTools]: (
    args: ReadTools[Name],
    view: SearchableCatalog,
    output: Pick<Output, 'isJson'>,
  ) => Promise<CommandResult>
} = {
  // Only JSON shows signatures, and computing them takes as long as the search.
  search_tools: async (args, view, { isJson }) =>
    (await import('../../disclosure/strategies/gateway/find-tools.ts')).findTools(
      { ...args, withSignatures: isJson },
      view,
    ),
  list_tools: async (args, view) =>
    (await import('../../disclosure/strategies/gateway/page-of-tools.ts')).pageOfTools(args, view),
  list_mcp_servers: async (args, view) =>
    (await import('../../disclosure/strategies/gateway/page-of-servers.ts')).pageOfServers(args, view),
}

/** `--verbose` bypasses the cache, because cached answers carry no log lines. */
export function mayUseCache({ flags }: Work, { isForGateway = false }: CatalogNeed): boolean {
  return flags.verbose !== true && !isForGateway
}

/** Undefined if the cached catalog lacks a needed server or is damaged. Closes the file. */
export async function answerFromFile(
  catalog: CatalogFile,
  work: Work,
  need: ServerNeed,
  use: UseCatalog,
): Promise<number | undefined> {
  try {
    const unreached = unreachedOf(catalog.head.servers, work, need)
    return unreached === undefined ? undefined : await use(readerOf(catalog, unreached, work))
  } catch (error) {
    if (error instanceof DamagedFile) return undefined
    throw error
  } finally {
    catalog.file.close()
  }
}

/** Undefined if a needed server has no cached tools and no remembered failure. */
function unreachedOf(servers: readonly CachedServer[], { environment }: Work, need: ServerNeed): Unreached | undefined {
  const unknown = servers.filter(({ isUnknown }) => isUnknown)
  if (unknown.length === 0) return new Map()
  const failed: Unreached = need.isPatient ? new Map() : recentFailures(environment, unknown)
  const unreached = new Map([...failed, ...unsetOf(unknown, environment)])
  return unknown.some(({ id }) => need.isNeeded(id) && !unreached.has(id)) ? undefined : unreached
}

function readerOf(catalog: CatalogFile, unreached: Unreached, { signal, output }: Work): CatalogReader {
  const { servers, switchedOff, notes, note, usageFile, ruleWarnings } = catalog.head
  const learned = usageFile === undefined ? undefined : () => readUsageCounts(usageFile)
  let opened: Promise<SearchableCatalog> | undefined
  const view = () => {
    opened ??= import('./cached-view.ts').then(({ openCachedView }) => openCachedView(catalog, { signal, learned }))
    return opened
  }
  return {
    ask: async (tool, args) => HANDLERS[tool](args, await view(), output),
    view,
    unknown: async () => servers.filter(({ isUnknown }) => isUnknown).map(({ id }) => id),
    unreached,
    startable: servers,
    switchedOff,
    ruleWarnings: async () => ruleWarnings,
    notes,
    note,
  }
}
