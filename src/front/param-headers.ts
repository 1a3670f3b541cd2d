// Checks the headers that repeat parameters marked `x-mcp-header`, by which proxies route (protocol 2026-07-28).

import type { Caller } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import { markedParams } from '../core/marked-params.ts'
import type { JsonSchema } from '../core/tool.ts'
import type { Crib } from '../crib/crib.ts'

const ENCODED = /^=\?base64\?(.*)\?=$/
const DECIMAL = /^-?\d+(\.\d+)?$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Compares the headers of a call with its arguments. Returns the first difference, or undefined. */
export async function findHeaderMismatch(
  crib: Crib,
  body: unknown,
  caller: Caller,
  { headers, signal }: { readonly headers: Pick<Headers, 'get'>; readonly signal: AbortSignal },
): Promise<string | undefined> {
  if (!isRecord(body) || body.method !== 'tools/call' || !isRecord(body.params)) return undefined
  const { name, arguments: args } = body.params
  if (typeof name !== 'string') return undefined
  const schema = await crib.inputSchemaOf(name, { caller, signal })
  return schema === undefined ? undefined : checkParamHeaders(schema, args, headers)
}

/** Returns the problem if the headers do not match the arguments, otherwise undefined. */
export function checkParamHeaders(
  schema: JsonSchema,
  args: unknown,
  headers: Pick<Headers, 'get'>,
): string | undefined {
  for (const { mark, name, value } of markedParams(schema, args)) {
    const problem = compare(`Mcp-Param-${mark}`, name, value, headers)
    if (problem !== undefined) return problem
  }
  return undefined
}

function compare(header: string, name: string, value: unknown, headers: Pick<Headers, 'get'>): string | undefined {
  // Only these types can be marked. The schema validation refuses other types.
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  // Clients send no header for an integer that they cannot represent exactly.
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined
  const sent = headers.get(header)
  if (sent === null) return `the header ${header} is missing for '${name}'`
  const decoded = decode(sent)
  if (decoded === undefined) return `the header ${header} is not valid Base64`
  const isNumeric = typeof value === 'number' && DECIMAL.test(decoded)
  const isEqual = isNumeric ? Number(decoded) === value : decoded === String(value)
  return isEqual ? undefined : `the header ${header} differs from '${name}' in the body`
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
