// The meta-tool list_mcp_servers: lists the servers behind the gateway, in pages.

import { z } from 'zod'
import { answer, pastTheEnd } from '../../answer.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import { pageOfServers } from './page-of-servers.ts'

export const LIST_SERVERS = 'list_mcp_servers'
const DEFAULT_LIMIT = 20

const input = z.strictObject({
  search: z.string().optional(),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(200).default(DEFAULT_LIMIT),
})

export const listServers = defineMetaTool({
  name: LIST_SERVERS,
  description: 'List the MCP servers behind this gateway.',
  input,
  inputSchema: {
    type: 'object',
    properties: { search: { type: 'string' }, offset: { type: 'integer' }, limit: { type: 'integer' } },
  },
  readOnly: true,
  takesContext: false,
  findsTools: true,
  async call(wanted, view) {
    const { servers, total, hasMore } = pageOfServers(wanted, view)
    return answer({
      servers,
      total,
      ...(hasMore ? { hasMore } : {}),
      ...(servers.length === 0 ? { reason: whyEmpty(view.sources.length, total, view.whyNoSources) } : {}),
    })
  },
})

/** `total` is the number of servers that match the search. */
function whyEmpty(configured: number, total: number, whyNone = 'No server is configured.'): string {
  if (configured === 0) return whyNone
  if (total > 0) return pastTheEnd(total, 'server')
  const none = configured === 1 ? 'The only server does not match' : `None of the ${configured} servers matches`
  return `${none}; leave out \`search\` to list all.`
}
