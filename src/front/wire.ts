// A CommandResult as an MCP tool result: compact JSON text, the same as structuredContent, and the blocks beside it.

import type { CallToolResult } from '@modelcontextprotocol/server'
import { encodeResult } from '../core/encode-result.ts'
import type { CommandResult } from '../core/result.ts'

export function toWire(name: string, result: CommandResult): CallToolResult {
  if (result.wire !== undefined) return result.wire
  const { body, content, json } = encodeResult(name, result)
  return {
    content: [{ type: 'text', text: json }, ...content],
    structuredContent: { ...body },
    ...(body.success ? {} : { isError: true }),
  }
}
