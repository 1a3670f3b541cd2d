// Selects one page of the servers behind the gateway.

import { cutLongText, firstSentence } from '../../../core/text.ts'
import type { SearchableCatalog, SourceView } from '../../view.ts'

interface ServerPageRequest {
  readonly search?: string | undefined
  readonly offset: number
  readonly limit: number
}

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

interface ServerPage {
  readonly servers: readonly ServerSummary[]
  /** The number of servers that match. */
  readonly total: number
  readonly hasMore: boolean
}

const MAX_REASON_CHARS = 200

export function pageOfServers(
  { search, offset, limit }: ServerPageRequest,
  { sources }: Pick<SearchableCatalog, 'sources'>,
): ServerPage {
  const matching = sources.filter(matcher(search))
  const page = matching.slice(offset, offset + limit)
  return {
    servers: page.map(summarizeServer),
    total: matching.length,
    hasMore: offset + page.length < matching.length,
  }
}

export function summarizeServer({ id, title, description, toolCount, state, reason }: SourceView): ServerSummary {
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
