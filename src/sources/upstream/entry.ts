// An upstream tool as an entry of the catalog.

import { isRecord } from '../../core/is-record.ts'
import type { SchemaValidator } from '../../core/json-schema.ts'
import type { ToolEntry, ToolTraits, Validation } from '../../core/tool.ts'
import { statedIn } from './stated-meta.ts'
import type { UpstreamTool } from './tool-list.ts'

export function toEntry(tool: UpstreamTool, server: string, validator: SchemaValidator): ToolEntry {
  const { name, title, description, annotations } = tool
  const { traits, ...stated } = statedIn(tool._meta)
  const label = title ?? (typeof annotations?.title === 'string' ? annotations.title : undefined)
  const entry: ToolEntry = {
    name,
    ...(label === undefined ? {} : { title: label }),
    description: description ?? `${label ?? name} (server '${server}' says no more about it)`,
    // Not read here: the schema of a tool that was listed before is parsed when it is asked for.
    get inputSchema() {
      return tool.inputSchema
    },
    ...(annotations === undefined ? {} : { annotations }),
    ...stated,
    traits: { ...traits, ...traitsOf(tool) },
    // Whatever the schema is worth: arguments are an object.
    validate: (input) => (isRecord(input) ? validator.validate(tool.inputSchema, input) : noObject(input)),
  }
  if (!('outputSchema' in tool)) return entry
  return Object.defineProperty(entry, 'outputSchema', { get: () => tool.outputSchema, enumerable: true })
}

/** Whether running it twice is the same as running it once, by its own word. */
export function isRepeatable({ annotations }: UpstreamTool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
}

function noObject(input: unknown): Validation {
  const kind = input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input
  return { ok: false, issues: [{ path: '', message: `Input: expected object, received ${kind}` }] }
}

function traitsOf({ annotations = {} }: UpstreamTool): ToolTraits {
  const { readOnlyHint, destructiveHint } = annotations
  return {
    ...(typeof readOnlyHint === 'boolean' ? { mutation: !readOnlyHint } : {}),
    // A tool that only reads destroys nothing, whatever else it says.
    ...(typeof destructiveHint === 'boolean' ? { destructive: destructiveHint && readOnlyHint !== true } : {}),
  }
}
