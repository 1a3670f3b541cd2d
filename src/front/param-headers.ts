// Checks the headers that repeat parameters marked `x-mcp-header`, by which proxies route (protocol 2026-07-28).

import { isRecord } from '../core/schema.ts'
import type { JsonSchema } from '../core/tool.ts'

const MARK = 'x-mcp-header'
const ENCODED = /^=\?base64\?(.*)\?=$/
const DECIMAL = /^-?\d+(\.\d+)?$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Returns the problem if the headers do not match the arguments, otherwise undefined. */
export function headerMismatch(schema: JsonSchema, args: unknown, headers: Headers): string | undefined {
  if (!isRecord(schema.properties) || !isRecord(args)) return undefined
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (!isRecord(property) || value === undefined || value === null) continue
    const mark = property[MARK]
    const problem =
      typeof mark === 'string'
        ? compare(`Mcp-Param-${mark}`, name, value, headers)
        : headerMismatch(property, value, headers)
    if (problem !== undefined) return problem
  }
  return undefined
}

function compare(header: string, name: string, value: unknown, headers: Headers): string | undefined {
  // Only these types can be marked. The schema validation refuses other types.
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  // Clients send no header for an integer that they cannot represent exactly.
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined
  const sent = headers.get(header)
  if (sent === null) return `the header ${header} is missing for '${name}'`
  const decoded = decode(sent)
  if (decoded === undefined) return `the header ${header} is not valid Base64`
  const isNumeric = typeof value === 'number' && DECIMAL.test(decoded)
  const same = isNumeric ? Number(decoded) === value : decoded === String(value)
  return same ? undefined : `the header ${header} differs from '${name}' in the body`
}

function decode(value: string): string | undefined {
  const encoded = ENCODED.exec(value)?.[1]
  if (encoded === undefined) return value
  if (!BASE64.test(encoded)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    return undefined
  }
}
