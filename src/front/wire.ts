// A CommandResult as an MCP tool result: compact JSON text, the same as structuredContent, and the blocks beside it.

import type { CallToolResult } from '@modelcontextprotocol/server'
import { fail } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'

export function toWire(name: string, result: CommandResult): CallToolResult {
  const { content = [], ...body } = withoutErrorObjects(result)
  const text = toJson(body)
  if (!text.ok) return toWire(name, fail('INVALID_RESULT', { name, reason: text.reason }))
  return {
    content: [{ type: 'text', text: text.json }, ...content],
    structuredContent: body,
    ...(result.success ? {} : { isError: true }),
  }
}

/** An Error as `cause` would be an empty object in JSON, and its stack is nobody's business. */
function withoutErrorObjects(result: CommandResult): CommandResult {
  const { error } = result
  if (!(error?.cause instanceof Error)) return result
  return { ...result, error: { ...error, cause: error.cause.message } }
}

function toJson(value: unknown): { ok: true; json: string } | { ok: false; reason: string } {
  try {
    return { ok: true, json: JSON.stringify(value) }
  } catch (error) {
    // A cycle, a bigint, or nesting deeper than the stack.
    return { ok: false, reason: `it is not JSON (${error instanceof Error ? error.message.split('\n', 1)[0] : error})` }
  }
}
