// Finds the arguments that a tool marks with `x-mcp-header`: they are also sent as headers (protocol 2026-07-28).

import { isRecord } from './is-record.ts'
import type { JsonSchema } from './tool.ts'

/** `mark` is the part of the header's name after `Mcp-Param-`, as the tool wrote it. */
type MarkedParam = Readonly<{ mark: string; name: string; value: unknown }>

/** The marked arguments at any depth. Arguments that are absent or null have no header. */
export function* markedParams(schema: JsonSchema, args: unknown): Generator<MarkedParam> {
  if (!isRecord(schema.properties) || !isRecord(args)) return
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (!isRecord(property) || value === undefined || value === null) continue
    const mark = property['x-mcp-header']
    if (typeof mark === 'string') yield { mark, name, value }
    else yield* markedParams(property, value)
  }
}
