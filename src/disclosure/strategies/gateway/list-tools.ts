// The meta-tool list_tools: lists the tools of one server, in pages. Disabled tools are included only on request.

import { z } from 'zod'
import { isRecord } from '../../../core/is-record.ts'
import { answer } from '../../answer.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import { LIST_SERVERS } from './list-servers.ts'
import { describeNoTools, pageOfTools } from './page-of-tools.ts'
import { refuseServer } from './unknown-server.ts'

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
  findsTools: true,
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
