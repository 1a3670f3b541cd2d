// The meta-tool search_tools: finds tools by a query, and shows them in few tokens.

import { z } from 'zod'
import { answer } from '../../answer.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import { serverOrTools } from '../../needs.ts'
import { findTools, searchDocument } from './find-tools.ts'
import { LIST_SERVERS } from './list-servers.ts'
import { refuseServer } from './unknown-server.ts'

const input = z.strictObject({
  query: z.string().min(1),
  server: z.string().min(1).optional(),
  limit: z.int().min(1).max(100).optional(),
})

export const searchTools = defineMetaTool({
  name: 'search_tools',
  description:
    'Find tools by what they do, or by name with a glob or /regex/. If the signature says enough call execute_tool, else get_tool_details.',
  input,
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' }, server: { type: 'string' }, limit: { type: 'integer' } },
    required: ['query'],
  },
  readOnly: true,
  takesContext: false,
  findsTools: true,
  needs: (args) => serverOrTools(args, 'query'),
  async call(query, view) {
    const found = await findTools(query, view)
    return found.kind === 'unknown-server'
      ? refuseServer(found, LIST_SERVERS)
      : answer(searchDocument(found, LIST_SERVERS))
  },
})
