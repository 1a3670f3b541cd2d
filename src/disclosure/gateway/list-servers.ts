// list_mcp_servers: what is behind the gateway, in pages.

import { z } from 'zod'
import { cutLongText, firstSentence } from '../../core/text.ts'
import { answer } from '../answer.ts'
import { defineMetaTool } from '../meta-tool.ts'
import type { SourceView } from '../view.ts'

export interface ServerSummary {
  readonly name: string
  readonly description?: string
  readonly toolCount: number
  readonly status: 'connected' | 'disconnected'
  readonly state: SourceView['state']
  /** Why it failed. */
  readonly reason?: string
}

const DEFAULT_LIMIT = 20
const MAX_REASON_CHARS = 200

const input = z.strictObject({
  search: z.string().optional(),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(200).default(DEFAULT_LIMIT),
})

export const listServers = defineMetaTool({
  name: 'list_mcp_servers',
  description: 'List the MCP servers behind this gateway.',
  input,
  inputSchema: {
    type: 'object',
    properties: { search: { type: 'string' }, offset: { type: 'integer' }, limit: { type: 'integer' } },
  },
  readOnly: true,
  takesContext: false,
  async call({ search, offset, limit }, view) {
    const matching = view.sources.filter(matcher(search))
    const page = matching.slice(offset, offset + limit)
    return answer({
      servers: page.map(summarize),
      total: matching.length,
      ...(offset + page.length < matching.length ? { hasMore: true } : {}),
      ...(matching.length === 0 ? { reason: emptiness(view.sources.length, search) } : {}),
    })
  },
})

export function summarize({ id, title, description, toolCount, state, reason }: SourceView): ServerSummary {
  const said = description ?? title
  return {
    name: id,
    ...(said === undefined ? {} : { description: firstSentence(said) }),
    toolCount,
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

function emptiness(total: number, search: string | undefined): string {
  if (total === 0) return 'No server is configured.'
  return search === undefined
    ? `There are ${total}; offset is past the last.`
    : `None of ${total} servers matches; leave search out to list them.`
}
