// The answer of list_mcp_servers: a page of the servers behind the gateway.

import type { CommandResult } from '../../../core/result.ts'
import { cutLongText, firstSentence } from '../../../core/text.ts'
import { answer } from '../../answer.ts'
import type { SearchableCatalog } from '../../searchable-catalog.ts'
import type { SourceView } from '../../view.ts'

export interface ServerSummary {
  readonly name: string
  readonly description?: string
  /** Absent if its tools are not known. */
  readonly toolCount?: number
  readonly status: 'connected' | 'disconnected'
  readonly state: SourceView['state']
  /** The reason of a failed start. */
  readonly reason?: string
}

const MAX_REASON_CHARS = 200

export interface ServerPageRequest {
  readonly search?: string | undefined
  readonly offset: number
  readonly limit: number
}

export async function pageOfServers(
  { search, offset, limit }: ServerPageRequest,
  { sources, whyNoSources }: Pick<SearchableCatalog, 'sources' | 'whyNoSources'>,
): Promise<CommandResult> {
  const matching = sources.filter(matcher(search))
  const page = matching.slice(offset, offset + limit)
  return answer({
    servers: page.map(summarize),
    total: matching.length,
    ...(offset + page.length < matching.length ? { hasMore: true } : {}),
    ...(matching.length === 0 ? { reason: whyEmpty(sources.length, search, whyNoSources) } : {}),
  })
}

export function summarize({ id, title, description, toolCount, state, reason }: SourceView): ServerSummary {
  const about = description ?? title
  return {
    name: id,
    ...(about === undefined ? {} : { description: firstSentence(about) }),
    ...(toolCount === undefined ? {} : { toolCount }),
    status: state === 'failed' ? 'disconnected' : 'connected',
    state,
    ...(state === 'failed' && reason !== undefined ? { reason: cutLongText(reason, MAX_REASON_CHARS) } : {}),
  }
}

function matcher(search: string | undefined): (source: SourceView) => boolean {
  const words = search?.toLowerCase().split(/\s+/).filter(Boolean) ?? []
  return ({ id, title = '', description = '' }) => {
    const text = `${id} ${title} ${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

function whyEmpty(total: number, search: string | undefined, whyNone = 'No server is configured.'): string {
  if (total === 0) return whyNone
  return search === undefined
    ? `The offset is past the last of ${total}.`
    : `None of ${total} servers matches; leave search out to list them.`
}
