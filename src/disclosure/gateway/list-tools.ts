// list_tools: the tools of one server, in pages; those that rules switch off only when asked for.

import { z } from 'zod'
import { isRecord } from '../../core/schema.ts'
import { defineMetaTool } from '../meta-tool.ts'
import { pageOfTools } from './page-of-tools.ts'

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
  call: pageOfTools,
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
