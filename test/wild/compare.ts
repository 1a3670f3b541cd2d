// Compares the answers of the gateway with those of the server. Each function returns the differences as texts.

import { isDeepStrictEqual } from 'node:util'
import type { RawOutcome, RawResult, RawTool } from './child-client.ts'

const MAX_TEXT = 160

/** The gateway must list all tools of the server, in the order of the server. */
export function compareNames(direct: readonly RawTool[], listed: readonly string[]): readonly string[] {
  const names = direct.map(({ name }) => name)
  const missing = names.filter((name) => !listed.includes(name))
  const added = listed.filter((name) => !names.includes(name))
  const isReordered = missing.length === 0 && added.length === 0 && !isDeepStrictEqual(names, listed)
  return [
    ...missing.map((name) => `'${name}' is missing`),
    ...added.map((name) => `'${name}' is added`),
    ...(isReordered ? ['the order differs'] : []),
  ]
}

/** `details` is the answer of `get_tool_details` with `schema: true`. */
export function compareDetails(direct: RawTool, details: Readonly<Record<string, unknown>>): readonly string[] {
  const { name, description = '', inputSchema } = direct
  return [
    ...difference(`description of '${name}'`, description, details.description ?? ''),
    ...difference(`schema of '${name}'`, inputSchema, details.schema),
  ]
}

/** `varies` are regular expressions for the parts that differ between any two calls. */
export function compareCalls(
  direct: RawOutcome,
  gateway: RawOutcome,
  varies: readonly string[] = [],
): readonly string[] {
  if ('error' in gateway) return [`JSON-RPC error '${gateway.error}'`]
  const steady = <T>(value: T): T => {
    const text = JSON.stringify(value)
    return JSON.parse(varies.reduce((rest, pattern) => rest.replace(new RegExp(pattern, 'g'), ''), text))
  }
  return 'error' in direct
    ? compareErrors(steady(direct.error), steady(gateway.result))
    : compareResults(steady(direct.result), steady(gateway.result))
}

/** A JSON-RPC error of a server becomes a failed result with the same message, so that a model can read it. */
function compareErrors(message: string, { content, isError }: RawResult): readonly string[] {
  const hasMessage = content.some(({ text }) => typeof text === 'string' && text.includes(asJson(message)))
  return [...difference('isError', true, isError), ...(hasMessage ? [] : difference('error', message, content))]
}

function compareResults(direct: RawResult, gateway: RawResult): readonly string[] {
  const meta = Object.entries(direct._meta).flatMap(([key, value]) =>
    difference(`_meta '${key}'`, value, gateway._meta[key]),
  )
  return [
    ...difference('isError', direct.isError, gateway.isError),
    ...difference('content', direct.content, gateway.content),
    ...meta,
    ...compareStructured(direct, gateway),
  ]
}

/** The gateway wraps structured content: `{success: true, result}`, or `{success: false, error}`. */
function compareStructured(direct: RawResult, gateway: RawResult): readonly string[] {
  if (direct.structuredContent === undefined && !direct.isError) return []
  const wrapped = Object(gateway.structuredContent) as Readonly<Record<string, unknown>> // every key may be missing
  const success = difference('success', !direct.isError, wrapped.success)
  return direct.isError
    ? success
    : [...success, ...difference('structuredContent', direct.structuredContent, wrapped.result)]
}

function difference(what: string, direct: unknown, gateway: unknown): readonly string[] {
  if (isDeepStrictEqual(direct, gateway)) return []
  return [`${what}: ${short(direct)} directly, ${short(gateway)} through the gateway`]
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
