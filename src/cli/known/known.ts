// What list, search and tools ask, whoever answers: the gateway in this process, or the file that the last one left.

import type { CommandResult } from '../../core/result.ts'
import type { ToolId } from '../../core/tool.ts'
import type { ToolQuery } from '../../disclosure/gateway/find-tools.ts'
import type { ServerPageRequest } from '../../disclosure/gateway/page-of-servers.ts'
import type { ToolPageRequest } from '../../disclosure/gateway/page-of-tools.ts'
import type { SearchableCatalog } from '../../disclosure/searchable-catalog.ts'
import type { Explanation } from '../../search/ranker.ts'
import { DamagedFile } from '../../storage/section-file.ts'
import type { Need } from '../knowing-session.ts'
import type { Output } from '../output/output.ts'
import type { ServingNote } from '../serving-notes.ts'
import type { Startable } from '../startable.ts'
import { recentFailures, type Unreached, unsetOf } from '../unreachable.ts'
import type { Work } from '../work.ts'
import type { CatalogFile, KnownServer } from './catalog-file.ts'
import { learnedFrom } from './learned.ts'

/** Those of the gateway's tools that tell what there is, and what each of them takes. */
export interface Questions {
  readonly search_tools: ToolQuery
  readonly list_tools: ToolPageRequest
  readonly list_mcp_servers: ServerPageRequest
}

export interface Known {
  ask<Name extends keyof Questions>(tool: Name, args: Questions[Name]): Promise<CommandResult>
  view(): Promise<Pick<SearchableCatalog, 'visible' | 'known'>>
  /** Why a tool ranks where it does; only the gateway knows. */
  explain?(query: string, id: ToolId): Promise<Explanation | undefined>
  /** Servers of which nothing is known without asking them. */
  unknown(): Promise<readonly string[]>
  /** Of those, the ones that could not be asked. */
  readonly unreached: Unreached
  /** What each that is not switched off takes to start. */
  readonly startable: readonly Startable[]
  readonly switchedOff: readonly string[]
  /** Warnings about the rules. */
  remarks(): Promise<readonly string[]>
  /** The configuration switches discovery off as a whole. Such a catalog is not kept in a file. */
  readonly isOff?: boolean
  /** Entries that are served under another name, or not at all. */
  readonly notes: readonly ServingNote[]
  /** About files of the current folder that are not used. */
  readonly note?: string | undefined
}

export interface KnownNeed extends Need {
  /** Something is asked that only the gateway itself can tell. */
  readonly isForGateway?: boolean
}

export type UseKnown = (known: Known) => Promise<number>

/** `use` shows nothing before it has its answer: where that cannot be had from a file, somebody else is asked. */
export type WithKnown = (work: Work, need: KnownNeed, use: UseKnown) => Promise<number>

const ANSWERS: {
  readonly [Name in keyof Questions]: (
    args: Questions[Name],
    shelves: SearchableCatalog,
    output: Pick<Output, 'isJson'>,
  ) => Promise<CommandResult>
} = {
  // People are not shown signatures, and those take as long as the search.
  search_tools: async (args, shelves, { isJson }) =>
    (await import('../../disclosure/gateway/find-tools.ts')).findTools({ ...args, withSignatures: isJson }, shelves),
  list_tools: async (args, shelves) =>
    (await import('../../disclosure/gateway/page-of-tools.ts')).pageOfTools(args, shelves),
  list_mcp_servers: async (args, shelves) =>
    (await import('../../disclosure/gateway/page-of-servers.ts')).pageOfServers(args, shelves),
}

/** Whoever wants to hear more hears it from the gateway. */
export function mayComeFromFile({ flags }: Work, { isForGateway = false }: KnownNeed): boolean {
  return flags.verbose !== true && !isForGateway
}

/** Undefined where the catalog does not know enough, or is damaged. Closes it. */
export async function useCatalog(
  catalog: CatalogFile,
  work: Work,
  need: Need,
  use: UseKnown,
): Promise<number | undefined> {
  try {
    const unreached = unreachedOf(catalog.head.servers, work, need)
    return unreached === undefined ? undefined : await use(knownFrom(catalog, unreached, work))
  } catch (error) {
    if (error instanceof DamagedFile) return undefined
    throw error
  } finally {
    catalog.file.close()
  }
}

/** Undefined if a needed server has no cached tools and no remembered failure. */
function unreachedOf(servers: readonly KnownServer[], { environment }: Work, need: Need): Unreached | undefined {
  const unknown = servers.filter(({ isUnknown }) => isUnknown)
  if (unknown.length === 0) return new Map()
  const failed: Unreached = need.isPatient ? new Map() : recentFailures(environment, unknown)
  const unreached = new Map([...failed, ...unsetOf(unknown, environment)])
  return unknown.some(({ id }) => need.isNeeded(id) && !unreached.has(id)) ? undefined : unreached
}

function knownFrom(catalog: CatalogFile, unreached: Unreached, { signal, output }: Work): Known {
  const { servers, switchedOff, notes, note, learnsFrom, remarks } = catalog.head
  const learned = learnsFrom === undefined ? undefined : () => learnedFrom(learnsFrom)
  let opened: Promise<SearchableCatalog> | undefined
  const shelves = () => {
    opened ??= import('./shelves-of.ts').then(({ shelvesOf }) => shelvesOf(catalog, { signal, learned }))
    return opened
  }
  return {
    ask: async (tool, args) => ANSWERS[tool](args, await shelves(), output),
    view: shelves,
    unknown: async () => servers.filter(({ isUnknown }) => isUnknown).map(({ id }) => id),
    unreached,
    startable: servers,
    switchedOff,
    remarks: async () => remarks,
    notes,
    note,
  }
}
