// The meta-tool execute_tool: runs a tool of any server, or reads more of a result that was cut.

import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { withStructured } from '../../../core/encode-result.ts'
import { type CommandResult, type FailureResult, isFailure } from '../../../core/result.ts'
import { anyObject } from '../../../core/schema.ts'
import { createPlainCheck, defineMetaTool } from '../../meta-tool.ts'
import { toolToRun } from '../../needs.ts'
import { nothingToRun, READ_ON, readOnShape } from '../../run-tool.ts'
import type { Lookup } from '../../view.ts'

const input = z.strictObject({
  server: z.string().min(1).optional(),
  tool: z.string().min(1).optional(),
  arguments: anyObject.default({}),
  ...readOnShape,
})

export const executeTool = defineMetaTool({
  name: 'execute_tool',
  description: `Run a tool. ${READ_ON}`,
  input,
  inputSchema: {
    type: 'object',
    properties: {
      server: { type: 'string' },
      tool: { type: 'string' },
      arguments: { type: 'object' },
      handle: { type: 'string' },
      offset: { type: 'integer' },
    },
  },
  readOnly: false,
  takesContext: false,
  needs: (args) => toolToRun(args, 'tool'),
  isPlain: createPlainCheck(['server', 'tool'], 'arguments'),
  async call({ server, tool, arguments: args, handle, offset }, view) {
    if (handle !== undefined) return view.readOn(handle, offset)
    if (tool === undefined) return nothingToRun('execute_tool', 'tool', 'search_tools')
    const ref = { server, tool }
    const target = view.lookup(ref)
    const result = await view.invoke(ref, args, target)
    return view.deliver(toGatewayResult(result, target))
  },
})

/**
 * Keeps the content of the tool's answer, and adds `{success, result}` or `{success, error}` as structured content. An
 * answer without structured content stays as it is if it is long or has blocks that are not text.
 */
function toGatewayResult(result: CommandResult, target: Lookup): CommandResult {
  if (isFailure(result)) return toGatewayFailure(result, target)
  const { data, wire, content = [] } = result
  const body = { success: true as const, result: data ?? null }
  if (wire === undefined) {
    const blocks: CallToolResult['content'] = [{ type: 'text', text: JSON.stringify(body) }, ...content]
    return { ...result, wire: { content: blocks, structuredContent: body } }
  }
  const isCopied = wire.structuredContent !== undefined || isShortText(wire)
  return isCopied ? { ...result, wire: withStructured(wire, body) } : result
}

/** A longer text is not sent a second time as structured content. */
const MAX_COPIED_CHARS = 65_536

/** False if there are other blocks, because the text is then only a part of the answer. */
function isShortText({ content }: CallToolResult): boolean {
  let chars = 0
  for (const block of content) {
    if (block.type !== 'text') return false
    chars += block.text.length
  }
  return chars <= MAX_COPIED_CHARS
}

function toGatewayFailure(result: FailureResult, target: Lookup): FailureResult {
  const error = target.found ? { ...result.error, server: target.tool.sourceId, tool: target.tool.name } : result.error
  const failed = { ...result, error }
  const { wire } = result
  if (wire === undefined) return failed
  const { code, message, server, tool } = error
  const structuredContent = { success: false, error: { code, message, server, tool } }
  return { ...failed, wire: { ...wire, isError: true, structuredContent } }
}
