// get_tool_details: the parameters of one tool or of up to ten.

import { z } from 'zod'
import type { FailureResult } from '../../../core/result.ts'
import { answer } from '../../answer.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import { serverOrTools, withSchemas } from '../../needs.ts'
import { hashOf, ifNot, isKnown } from '../../tool-hash.ts'
import { refuseUnknownSchema } from '../../unknown-schema.ts'
import type { ToolRef, View } from '../../view.ts'
import { describeTool, type ToolDetails } from './describe-tool.ts'

const MAX_TOOLS = 10

const input = z.strictObject({
  server: z.string().min(1).optional(),
  tool: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_TOOLS)]),
  schema: z.boolean().default(false),
  examples: z.boolean().default(false),
  ifNot,
})

type DetailOptions = Pick<z.output<typeof input>, 'schema' | 'examples' | 'ifNot'>

/** The answer for a client that sent the current hash: its cached description is still valid. */
interface UnchangedTool {
  readonly tool: string
  readonly unchanged: true
}

export const toolDetails = defineMetaTool({
  name: 'get_tool_details',
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
  needs: (args) => withSchemas(serverOrTools(args, 'tool')),
  async call({ server, tool, ...wanted }, view) {
    if (typeof tool === 'string') {
      const details = await describe({ server, tool }, view, wanted)
      return 'refused' in details ? details.refused : view.deliver(answer(details.found))
    }
    const all = await Promise.all(tool.map((one) => describe({ server, tool: one }, view, wanted)))
    const tools = all.map((one, index) =>
      'refused' in one ? { tool: tool[index], error: one.refused.error } : one.found,
    )
    return view.deliver(answer({ tools }))
  },
})

async function describe(
  ref: Exclude<ToolRef, string>,
  view: View,
  wanted: DetailOptions,
): Promise<
  { readonly found: (ToolDetails & { readonly hash: string }) | UnchangedTool } | { readonly refused: FailureResult }
> {
  const refused = view.refusal(ref)
  if (refused !== undefined) return { refused }
  const target = view.lookup(ref)
  if (!target.found) throw new Error(`'${ref.tool}' was neither found nor refused`)
  const unclear = refuseUnknownSchema(target.tool, view)
  if (unclear !== undefined) return { refused: unclear }
  const { sourceId, name, description, inputSchema, traits, validate } = target.tool
  const { examples = [] } = traits
  const hash = hashOf(target.tool)
  if (isKnown(hash, wanted.ifNot)) return { found: { tool: name, unchanged: true } }
  const described = { server: sourceId, tool: name, description, inputSchema, examples, validate }
  return { found: { ...(await describeTool(described, wanted)), hash } }
}
