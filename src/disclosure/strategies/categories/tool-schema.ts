// The meta-tool get_tool_schema: returns the input schemas of up to ten tools.

import { z } from 'zod'
import { isRecord } from '../../../core/is-record.ts'
import type { Tool } from '../../../core/tool.ts'
import { answer } from '../../answer.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import { parseJsonList, parseNames, toolsNamed, withSchemas } from '../../needs.ts'
import { hashOf } from '../../tool-hash.ts'
import { toolToDescribe } from '../../tool-to-describe.ts'

const MAX_NAMES = 10

const input = z.strictObject({
  toolName: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_NAMES)]),
  schemaOnly: z.boolean().default(false),
})

export const toolSchema = defineMetaTool({
  name: 'get_tool_schema',
  description: `The input schema of a tool, or of up to ${MAX_NAMES}: get it before the first call. It stays valid for the session.`,
  input,
  inputSchema: {
    type: 'object',
    properties: {
      toolName: {
        type: ['string', 'array'],
        items: { type: 'string', minLength: 1 },
        minLength: 1,
        minItems: 1,
        maxItems: MAX_NAMES,
      },
      schemaOnly: { type: 'boolean', description: 'Without name and description' },
    },
    required: ['toolName'],
    additionalProperties: false,
  },
  readOnly: true,
  findsTools: true,
  // The schema of a tool is the same in every context.
  takesContext: false,
  needs: (args) => withSchemas(toolsNamed(isRecord(args) ? args.toolName : undefined)),
  async call({ toolName, schemaOnly }, view) {
    if (typeof toolName === 'string' && parseJsonList(toolName) === undefined) {
      const found = toolToDescribe(toolName, view)
      return 'refused' in found ? found.refused : answer(schemaDocument(found.tool, schemaOnly))
    }
    return answer(
      parseNames(toolName)
        .slice(0, MAX_NAMES)
        .map((name) => {
          const found = toolToDescribe(name, view)
          return 'refused' in found ? { name, error: found.refused.error } : schemaDocument(found.tool, schemaOnly)
        }),
    )
  },
})

function schemaDocument(tool: Tool, schemaOnly: boolean): unknown {
  const { listedName, description, inputSchema } = tool
  return schemaOnly ? inputSchema : { name: listedName, description, inputSchema, hash: hashOf(tool) }
}
