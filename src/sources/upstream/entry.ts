// Converts an upstream tool to an entry of the catalog.

import { escapeUnseen } from '../../core/clean-text.ts'
import { isRecord } from '../../core/is-record.ts'
import type { SchemaValidator } from '../../core/json-schema.ts'
import { typeNameOf } from '../../core/show-value.ts'
import { shellWord } from '../../core/text.ts'
import type { ToolChange, ToolEntry, ToolTraits, Validation } from '../../core/tool.ts'
import { issueAt } from '../../core/validation-issue.ts'
import { ownNameWarning } from './name-warnings.ts'
import type { UpstreamTool } from './tool-list.ts'
import { readToolMeta } from './tool-meta.ts'

interface EntryOptions {
  /** How the tool differs from its pin. */
  readonly change?: ToolChange | undefined
  /** True if the gateway has a tool of its own with the same name. */
  readonly hasOwnName?: boolean | undefined
}

export function toEntry(
  tool: UpstreamTool,
  server: string,
  validator: SchemaValidator,
  { change, hasOwnName = false }: EntryOptions = {},
): ToolEntry {
  const { name, title, description, annotations } = tool
  const warnings = [
    ...(hasOwnName ? [ownNameWarning(server, name)] : []),
    ...(tool.warnings ?? []),
    ...changeWarning(change, server, name),
  ]
  const { traits, ...metadata } = readToolMeta(tool._meta)
  const label = title ?? (typeof annotations?.title === 'string' ? annotations.title : undefined)
  const entry: ToolEntry = {
    name,
    ...(label === undefined ? {} : { title: label }),
    description: description || `${label || escapeUnseen(name)} (no description from server '${server}')`,
    // A getter, because the schema of a cached tool is parsed only when it is needed.
    get inputSchema() {
      return tool.inputSchema
    },
    ...(annotations === undefined ? {} : { annotations }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(change === undefined ? {} : { change }),
    ...metadata,
    traits: { ...traits, ...traitsOf(tool) },
    // Arguments must be an object, even if the schema does not say so.
    validate: (input) => (isRecord(input) ? validator.validate(tool.inputSchema, input) : notAnObject(input)),
  }
  if (!('outputSchema' in tool)) return entry
  return Object.defineProperty(entry, 'outputSchema', { get: () => tool.outputSchema, enumerable: true })
}

/** True if the tool declares that it can run twice without further effect. */
export function isRepeatable({ annotations }: UpstreamTool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
}

function changeWarning(change: ToolChange | undefined, server: string, name: string): readonly string[] {
  if (change?.kind !== 'changed') return []
  const { parts = [] } = change
  const what = parts.length === 0 ? 'it has' : `its ${parts.join(', ')} ${parts.length === 1 ? 'has' : 'have'}`
  const command = `toolcrib pins diff ${shellWord(`${server}:${name}`)}`
  return [`${what} changed since the tool was approved or first used; \`${command}\` shows how`]
}

function notAnObject(input: unknown): Validation {
  const kind = typeNameOf(input)
  return { ok: false, issues: [issueAt('', `expected object, received ${kind}`)] }
}

function traitsOf({ annotations = {} }: UpstreamTool): ToolTraits {
  const { readOnlyHint, destructiveHint } = annotations
  return {
    ...(typeof readOnlyHint === 'boolean' ? { mutation: !readOnlyHint } : {}),
    // A read-only tool is never destructive, even if it declares that.
    ...(typeof destructiveHint === 'boolean' ? { destructive: destructiveHint && readOnlyHint !== true } : {}),
  }
}
