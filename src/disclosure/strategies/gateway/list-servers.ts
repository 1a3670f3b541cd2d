// list_mcp_servers: the servers behind the gateway, in pages.

import { z } from 'zod'
import { defineMetaTool } from '../../meta-tool.ts'
import { pageOfServers } from './page-of-servers.ts'

export { type ServerSummary, summarize } from './page-of-servers.ts'

const DEFAULT_LIMIT = 20

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
  call: pageOfServers,
})
