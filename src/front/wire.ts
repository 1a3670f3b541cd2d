// Converts a CommandResult to an MCP tool result: compact JSON text, the same as structuredContent, and content blocks.

import type { CallToolResult } from '@modelcontextprotocol/server'
import { encodeResult, inertCopy, proxiedAnswer } from '../core/encode-result.ts'
import type { CommandResult } from '../core/result.ts'

interface Wire {
  readonly result: CallToolResult
  /** The result as JSON text, if it is already known. */
  readonly json?: string | undefined
}

export function toWire(name: string, result: CommandResult): CallToolResult {
  return encodeWire(name, result).result
}

export function encodeWire(name: string, result: CommandResult): Wire {
  const answer = proxiedAnswer(name, result)
  if (answer?.ok === true) {
    const wire = withIsError(answer.wire, result.success)
    return { result: wire, json: wire === answer.wire ? answer.json : undefined }
  }
  const given = answer?.refused ?? result
  const encoded = encodeResult(name, given)
  const { body, content } = inertCopy(given, encoded)
  return {
    result: {
      content: [{ type: 'text', text: encoded.json }, ...content],
      structuredContent: { ...body },
      ...(body.success ? {} : { isError: true }),
    },
  }
}

/** Makes `isError` agree with the CommandResult: a middleware may have turned the answer into a failure. */
function withIsError(wire: CallToolResult, success: boolean): CallToolResult {
  if ((wire.isError === true) !== success) return wire
  const { isError: _isError, ...rest } = wire
  return success ? rest : { ...rest, isError: true }
}
