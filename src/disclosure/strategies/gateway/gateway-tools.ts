// The meta-tools of the strategy `gateway` that find and describe tools. `execute-tool.ts` has the one that runs them.

import { z } from 'zod'
import { isRecord } from '../../../core/is-record.ts'
import { answer, pastTheEnd } from '../../answer.ts'
import { defineMetaTool, namesArgument } from '../../meta-tool.ts'
import { serverOrTools, withSchemas } from '../../needs.ts'
import { clientHas, clientHashes, hashOf, toolToDescribe } from '../../tool-to-describe.ts'
import { detailsOf } from './describe-tool.ts'
import { findTools, searchDocument } from './find-tools.ts'
import { describeNoTools, pageOfServers, pageOfTools, refuseServer } from './pages.ts'

const LIST_SERVERS = 'list_mcp_servers'
const TOOL_DETAILS = 'get_tool_details'
const MAX_DETAILS = 10

const FINDER = { readOnly: true, takesContext: false, findsTools: true }
// The schemas are written by hand to save tokens in every list; `input` checks the rest.
const text = { type: 'string' }
const integer = { type: 'integer' }
const flag = { type: 'boolean' }

export const listServers = defineMetaTool({
  name: LIST_SERVERS,
  description: 'List the MCP servers behind this gateway.',
  input: z.strictObject({
    search: z.string().optional(),
    offset: z.int().min(0).default(0),
    limit: z.int().min(1).max(200).default(20),
  }),
  inputSchema: { type: 'object', properties: { search: text, offset: integer, limit: integer } },
  ...FINDER,
  async call(wanted, view) {
    const { servers, total, hasMore } = pageOfServers(wanted, view)
    return answer({
      servers,
      total,
      ...(hasMore ? { hasMore } : {}),
      ...(servers.length === 0 ? { reason: whyNoServers(view.sources.length, total, view.whyNoSources) } : {}),
    })
  },
})

/** `matching` is the number of servers that match the search. */
function whyNoServers(configured: number, matching: number, whyNone = 'No server is available.'): string {
  if (configured === 0) return whyNone
  if (matching > 0) return pastTheEnd(matching, 'server')
  const none = configured === 1 ? 'The only server does not match' : `None of the ${configured} servers matches`
  return `${none}; leave out \`search\` to list all.`
}

export const searchTools = defineMetaTool({
  name: 'search_tools',
  description:
    'Find tools by what they do, or by name with a glob or /regex/. If the signature says enough call execute_tool, else get_tool_details.',
  input: z.strictObject({
    query: z.string().min(1),
    server: z.string().min(1).optional(),
    limit: z.int().min(1).max(100).optional(),
  }),
  inputSchema: {
    type: 'object',
    properties: { query: text, server: text, limit: integer },
    required: ['query'],
  },
  ...FINDER,
  needs: (args) => serverOrTools(args, 'query'),
  async call(query, view) {
    const found = await findTools(query, view)
    return found.kind === 'unknown-server'
      ? refuseServer(found, LIST_SERVERS)
      : answer(searchDocument(found, LIST_SERVERS))
  },
})

export const listTools = defineMetaTool({
  name: 'list_tools',
  description: "List one server's tools.",
  input: z.strictObject({
    server: z.string().min(1),
    includeDisabled: z.boolean().default(false),
    offset: z.int().min(0).default(0),
    limit: z.int().min(1).max(200).default(25),
  }),
  inputSchema: {
    type: 'object',
    properties: { server: text, includeDisabled: flag, offset: integer, limit: integer },
    required: ['server'],
  },
  ...FINDER,
  needs: (args) => (isRecord(args) && typeof args.server === 'string' ? { servers: [args.server] } : {}),
  async call(wanted, view) {
    const page = pageOfTools(wanted, view)
    if (page.kind === 'unknown-server') return refuseServer(page, LIST_SERVERS)
    const { kind: _kind, whyEmpty, ...shown } = page
    return answer({
      ...shown,
      ...(whyEmpty === undefined ? {} : { reason: describeNoTools(whyEmpty, 'includeDisabled') }),
    })
  },
})

export const toolDetails = defineMetaTool({
  name: TOOL_DETAILS,
  description: `Parameters of up to ${MAX_DETAILS} tools. schema: full JSON Schema. ifNot: hash you know.`,
  input: z.strictObject({
    server: z.string().min(1).optional(),
    tool: namesArgument({ max: MAX_DETAILS }),
    schema: z.boolean().default(false),
    examples: z.boolean().default(false),
    ifNot: clientHashes,
  }),
  inputSchema: {
    type: 'object',
    properties: {
      server: text,
      tool: { type: ['string', 'array'], items: text },
      schema: flag,
      examples: flag,
      ifNot: {},
    },
    required: ['tool'],
  },
  ...FINDER,
  needs: (args) => withSchemas(serverOrTools(args, 'tool')),
  async call({ server, tool, ifNot: hashes, ...wanted }, view) {
    const describeNamed = async (name: string) => {
      const named = toolToDescribe({ server, tool: name }, view)
      if ('refused' in named) return named
      // A client that sent the current hash has a valid description in its cache.
      if (clientHas(hashOf(named.tool), hashes)) return { found: { tool: named.tool.name, unchanged: true } }
      return { found: await detailsOf(named.tool, { ...wanted, fullSchemaBy: `${TOOL_DETAILS} with schema: true` }) }
    }
    if (typeof tool === 'string') {
      const details = await describeNamed(tool)
      return 'refused' in details ? details.refused : view.deliver(answer(details.found))
    }
    const all = await Promise.all(tool.map(describeNamed))
    const tools = all.map((one, index) =>
      'refused' in one ? { tool: tool[index], error: one.refused.error } : one.found,
    )
    return view.deliver(answer({ tools }))
  },
})
