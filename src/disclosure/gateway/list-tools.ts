// list_tools: the tools of one server, in pages; those that rules switch off only when asked for.

import { z } from 'zod'
import { fail } from '../../core/errors.ts'
import { isRecord } from '../../core/schema.ts'
import { findSimilarTools } from '../../core/similarity.ts'
import { firstSentence } from '../../core/text.ts'
import type { Tool } from '../../core/tool.ts'
import { answer } from '../answer.ts'
import { defineMetaTool } from '../meta-tool.ts'
import type { SourceView, View } from '../view.ts'

const input = z.strictObject({
  server: z.string().min(1),
  includeDisabled: z.boolean().default(false),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(200).default(25),
})

export const listTools = defineMetaTool({
  name: 'list_tools',
  description: "List one server's tools.",
  input,
  inputSchema: {
    type: 'object',
    properties: {
      server: { type: 'string' },
      includeDisabled: { type: 'boolean' },
      offset: { type: 'integer' },
      limit: { type: 'integer' },
    },
    required: ['server'],
  },
  readOnly: true,
  takesContext: false,
  needs: serversNamed,
  async call({ server, includeDisabled, offset, limit }, view) {
    const source = view.sources.find(({ id }) => id === server)
    if (source === undefined) return unknownServer(server, view)
    const tools = toolsOf(server, view, includeDisabled)
    const page = tools.slice(offset, offset + limit)
    return answer({
      server,
      tools: page.map(summarize),
      total: tools.length,
      hasMore: offset + page.length < tools.length,
      ...(page.length === 0 ? { reason: emptiness(source, tools.length, view) } : {}),
    })
  },
})

/** The server that a call names, which then has a moment to say what it has. */
export function serversNamed(args: unknown): readonly string[] {
  return isRecord(args) && typeof args.server === 'string' ? [args.server] : []
}

/** The same for a call that may say `server:tool`, or name a tool alone: that may be of a server that has yet to say so. */
export function serversMeant(args: unknown): readonly string[] | 'all' {
  const named = serversNamed(args)
  if (named.length > 0 || !isRecord(args)) return named
  const tools = [args.tool].flat().filter((tool) => typeof tool === 'string')
  const servers = tools.map((tool) => tool.split(':', 1)[0] ?? '')
  return servers.some((server, at) => server === tools[at]) ? 'all' : servers
}

export function unknownServer(server: string, view: View) {
  const names = view.sources.map(({ id }) => id)
  const similar = findSimilarTools(server, names)
  return fail(
    'SERVER_NOT_FOUND',
    { server, similar, list: 'list_mcp_servers' },
    similar.length === 0 ? {} : { details: { similar } },
  )
}

function toolsOf(server: string, { visible, known }: View, includeDisabled: boolean): readonly Tool[] {
  const shown = includeDisabled
    ? known.tools.filter((tool) => tool.disabled !== undefined || visible.get(tool.id) !== undefined)
    : visible.tools
  return shown.filter((tool) => tool.sourceId === server)
}

function summarize({ name, description, disabled, tags }: Tool) {
  return {
    name,
    summary: firstSentence(description),
    enabled: disabled === undefined,
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
  }
}

function emptiness({ state, reason = '', id }: SourceView, total: number, view: View): string {
  if (total > 0) return `There are ${total}; offset is past the last.`
  if (state === 'failed') return `The server could not be started: ${firstSentence(reason, 200)}`
  if (state === 'starting') return 'The server is still starting; ask again in a moment.'
  const disabled = toolsOf(id, view, true).length
  return disabled === 0
    ? 'The server has no tools.'
    : `All ${disabled} are disabled by rules; includeDisabled lists them.`
}
