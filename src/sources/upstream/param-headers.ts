// The headers for the arguments that a tool marks with `x-mcp-header` (protocol 2026-07-28, over HTTP).

import { markedParams } from '../../core/marked-params.ts'
import type { JsonSchema } from '../../core/tool.ts'

/** The characters that HTTP allows in the name of a header. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const PLAIN = /^[\x20-\x7e]+$/

export function paramHeaders(schema: JsonSchema, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { mark, value } of markedParams(schema, args)) {
    const text = textOf(value)
    if (TOKEN.test(mark) && text !== undefined) headers[`Mcp-Param-${mark}`] = encode(text)
  }
  return headers
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined
}

/** Unchanged if a header can contain the text, otherwise in the Base64 form of the protocol. */
function encode(text: string): string {
  const isPlain = PLAIN.test(text) && text.trim() === text && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}
