// Selects one page of the servers behind the gateway, or of the tools of one server.

import { defined } from '../../../core/defined.ts'
import { fail } from '../../../core/errors.ts'
import type { FailureResult } from '../../../core/result.ts'
import { findSimilarTools, similarDetails } from '../../../core/similarity.ts'
import { cutLongText, firstSentence } from '../../../core/text.ts'
import type { DescribedTool, ToolChange } from '../../../core/tool.ts'
import { pastTheEnd } from '../../answer.ts'
import type { SearchableCatalog, SourceView } from '../../view.ts'

interface PageRequest {
  readonly offset: number
  readonly limit: number
}

export interface ServerSummary {
  readonly name: string
  readonly description?: string
  /** Absent if its tools are not known. */
  readonly toolCount?: number
  /** `disconnected` if the server failed, else `connected`, even if it is not running; see `state`. */
  readonly status: 'connected' | 'disconnected'
  readonly state: SourceView['state']
  /** The reason of a failed start. */
  readonly reason?: string
}

const MAX_REASON_CHARS = 200

/** `total` is the number of servers that match the search. */
export function pageOfServers(
  { search, ...page }: PageRequest & { readonly search?: string | undefined },
  { sources }: Pick<SearchableCatalog, 'sources'>,
) {
  const words = search?.toLowerCase().split(/\s+/).filter(Boolean) ?? []
  const matching = sources.filter(({ id, title = '', description = '' }) => {
    const text = `${id} ${title} ${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const { shown, ...rest } = cutPage(matching, page)
  return { servers: shown.map(summarizeServer), ...rest }
}

function cutPage<T>(all: readonly T[], { offset, limit }: PageRequest) {
  const shown = all.slice(offset, offset + limit)
  return { shown, total: all.length, hasMore: offset + shown.length < all.length }
}

export function summarizeServer({ id, title, description, toolCount, state, reason }: SourceView): ServerSummary {
  const about = description ?? title
  const isFailed = state === 'failed'
  return defined({
    name: id,
    description: about === undefined ? undefined : firstSentence(about),
    toolCount,
    status: isFailed ? ('disconnected' as const) : ('connected' as const),
    state,
    reason: isFailed && reason !== undefined ? cutLongText(reason, MAX_REASON_CHARS) : undefined,
  })
}

interface ToolPageRequest extends PageRequest {
  readonly server: string
  readonly includeDisabled: boolean
  /**
   * Includes tools that are refused because of their pins. Only for people: the texts of these tools may be meant to
   * deceive a model.
   */
  readonly includeChanged?: boolean
}

export interface ToolOverview {
  readonly name: string
  readonly summary: string
  readonly enabled: boolean
  readonly tags?: readonly string[]
  readonly warnings?: readonly string[]
  readonly change?: ToolChange
}

interface ToolPage {
  readonly kind: 'page'
  readonly server: string
  readonly tools: readonly ToolOverview[]
  readonly total: number
  readonly hasMore: boolean
  /** Set if the page has no tools. */
  readonly whyEmpty?: WhyNoTools
}

type WhyNoTools =
  | { readonly kind: 'past-the-end'; readonly total: number }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'starting' | 'unlisted' | 'none' | 'changed' }
  | { readonly kind: 'disabled'; readonly count: number }

export function pageOfTools(
  { server, includeDisabled, includeChanged = false, ...page }: ToolPageRequest,
  catalog: SearchableCatalog,
): ToolPage | UnknownServer {
  const source = catalog.sources.find(({ id }) => id === server)
  if (source === undefined) return unknownServer(server, catalog)
  const { shown, total, hasMore } = cutPage(toolsOf(server, catalog, { includeDisabled, includeChanged }), page)
  return {
    kind: 'page',
    server,
    tools: shown.map(summarizeTool),
    total,
    hasMore,
    ...(shown.length === 0 ? { whyEmpty: whyEmpty(source, total, catalog) } : {}),
  }
}

/** `flag` names the argument or the flag that includes disabled tools. */
export function describeNoTools(why: WhyNoTools, flag: string): string {
  switch (why.kind) {
    case 'past-the-end':
      return pastTheEnd(why.total)
    case 'failed':
      return `The server could not be started: ${firstSentence(why.reason, MAX_REASON_CHARS)}`
    case 'starting':
      return 'The server is still starting; ask again in a moment.'
    case 'unlisted':
      return 'The server has not listed its tools yet; ask again in a moment.'
    case 'none':
      return 'The server has no tools.'
    case 'changed':
      return "The server's tools are refused until their pins are approved or can be read; tell the user to run `toolcrib pins list`."
    case 'disabled':
      return why.count === 1
        ? `1 tool is disabled by rules; ${flag} lists it.`
        : `${why.count} tools are disabled by rules; ${flag} lists them.`
  }
}

/** The visible tools of a server and, on request, those disabled by a rule or refused because of their pins. */
function toolsOf(
  server: string,
  { visible, known }: SearchableCatalog,
  { includeDisabled = false, includeChanged = false },
): readonly DescribedTool[] {
  const isIncluded = ({ id, disabled, change }: DescribedTool) =>
    visible.get(id) !== undefined ||
    (disabled === undefined ? includeChanged && change?.isBlocked === true : includeDisabled)
  return known.tools.filter((tool) => tool.sourceId === server && isIncluded(tool))
}

function summarizeTool({ name, description, disabled, tags = [], warnings = [], change }: DescribedTool): ToolOverview {
  return {
    name,
    summary: firstSentence(description),
    enabled: disabled === undefined && change?.isBlocked !== true,
    ...(tags.length === 0 ? {} : { tags }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(change === undefined ? {} : { change }),
  }
}

function whyEmpty(
  { state, reason = '', id, toolCount }: SourceView,
  total: number,
  catalog: SearchableCatalog,
): WhyNoTools {
  if (total > 0) return { kind: 'past-the-end', total }
  if (state === 'failed') return { kind: 'failed', reason }
  if (state === 'starting') return { kind: 'starting' }
  if (toolCount === undefined) return { kind: 'unlisted' }
  const count = toolsOf(id, catalog, { includeDisabled: true }).length
  if (count > 0) return { kind: 'disabled', count }
  return { kind: toolsOf(id, catalog, { includeChanged: true }).length === 0 ? 'none' : 'changed' }
}

export interface UnknownServer {
  readonly kind: 'unknown-server'
  readonly server: string
  readonly similar: readonly string[]
}

export function unknownServer(server: string, { sources }: Pick<SearchableCatalog, 'sources'>): UnknownServer {
  const names = sources.map(({ id }) => id)
  return { kind: 'unknown-server', server, similar: findSimilarTools(server, names) }
}

/** The error for an unknown server. `list` names the tool or the command that lists the servers. */
export function refuseServer({ server, similar }: UnknownServer, list: string): FailureResult {
  return fail('SERVER_NOT_FOUND', { server, similar, list }, similarDetails(similar))
}
