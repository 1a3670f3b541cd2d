// The headers for arguments that a tool marks with `x-mcp-header` (protocol 2026-07-28). Proxies route by these headers.

import { isRecord } from '../is-record.ts'

/** Printable ASCII without spaces at its ends. */
const PLAIN = /^(?! )[\x20-\x7e]*(?<! )$/

export function markedHeaders(schema: unknown, args: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  collect(schema, args, headers)
  return headers
}

function collect(schema: unknown, args: unknown, headers: Record<string, string>): void {
  if (!isRecord(schema) || !isRecord(schema.properties) || !isRecord(args)) return
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (!isRecord(property) || value === undefined || value === null) continue
    const mark = property['x-mcp-header']
    if (typeof mark !== 'string') collect(property, value, headers)
    else if (/^[\w!#$%&'*+.^`|~-]+$/.test(mark) && isHeaderValue(value))
      headers[`Mcp-Param-${mark}`] = headerValue(String(value))
  }
}

function isHeaderValue(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** The text as the value of a header. A text that is not `PLAIN`, or that starts with `=?base64?`, is sent as Base64. */
export function headerValue(text: string): string {
  if (PLAIN.test(text) && !text.startsWith('=?base64?')) return text
  const bytes = new TextEncoder().encode(text)
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`
}
