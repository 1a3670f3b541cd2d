// The meta-tool get_tool_details: returns the parameters of up to ten tools.

import { z } from 'zod'
import { answer } from '../../answer.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import { serverOrTools, withSchemas } from '../../needs.ts'
import { hashOf, ifNot, isKnown } from '../../tool-hash.ts'
import { toolToDescribe } from '../../tool-to-describe.ts'
import { detailsOf } from './describe-tool.ts'

const MAX_TOOLS = 10

const NAME = 'get_tool_details'

/** The call that returns the full JSON Schema. The note about left-out parameters names it. */
const FULL_SCHEMA_BY = `${NAME} with schema: true`

const input = z.strictObject({
  server: z.string().min(1).optional(),
  tool: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_TOOLS)]),
  schema: z.boolean().default(false),
  examples: z.boolean().default(false),
  ifNot,
})

export const toolDetails = defineMetaTool({
  name: NAME,
  description: `Parameters of up to ${MAX_TOOLS} tools. schema: full JSON Schema. ifNot: hash you know.`,
  input,
  inputSchema: {
    type: 'object',
    properties: {
      server: { type: 'string' },
      tool: { type: ['string', 'array'], items: { type: 'string' } },
      schema: { type: 'boolean' },
      examples: { type: 'boolean' },
      ifNot: {},
    },
    required: ['tool'],
  },
  readOnly: true,
  takesContext: false,
  findsTools: true,
  needs: (args) => withSchemas(serverOrTools(args, 'tool')),
  async call({ server, tool, ifNot: known, ...wanted }, view) {
    const describeNamed = async (name: string) => {
      const named = toolToDescribe({ server, tool: name }, view)
      if ('refused' in named) return named
      // A client that sent the current hash has a valid description in its cache.
      const isUnchanged = isKnown(hashOf(named.tool), known)
      if (isUnchanged) return { found: { tool: named.tool.name, unchanged: true } }
      return { found: await detailsOf(named.tool, { ...wanted, fullSchemaBy: FULL_SCHEMA_BY }) }
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
