// Converts an upstream tool to an entry of the catalog.

import { cleanText, cleanValue, escapeUnseen, withChanged } from '../../core/clean-text.ts'
import { defined } from '../../core/defined.ts'
import { isRecord } from '../../core/is-record.ts'
import type { SchemaValidator } from '../../core/json-schema.ts'
import { onOneLine, shellWord, typeNameOf } from '../../core/text.ts'
import type { ToolChange, ToolEntry, ToolExample, ToolTraits, Validation } from '../../core/tool.ts'
import { issueAt } from '../../core/validation-issue.ts'
import type { UpstreamTool } from './tool-list.ts'

interface EntryOptions {
  /** How the tool differs from its pin. */
  readonly change?: ToolChange | undefined
  /** True if the gateway has a tool of its own with the same name. */
  readonly hasNameOfOwnTool?: boolean | undefined
}

export function toEntry(
  tool: UpstreamTool,
  server: string,
  validator: SchemaValidator,
  { change, hasNameOfOwnTool = false }: EntryOptions = {},
): ToolEntry {
  const { name, title, description, annotations } = tool
  const warnings = [
    ...(hasNameOfOwnTool ? [ownNameWarning(server, name)] : []),
    ...(tool.warnings ?? []),
    ...changeWarning(change, server, name),
  ]
  const { traits, ...metadata } = readToolMeta(tool._meta)
  const label = title ?? (typeof annotations?.title === 'string' ? annotations.title : undefined)
  const entry: ToolEntry = {
    name,
    ...defined({ title: label }),
    description: description || `${label || escapeUnseen(name)} (no description from server '${server}')`,
    // A getter, because the schema of a cached tool is parsed only when it is needed.
    get inputSchema() {
      return tool.inputSchema
    },
    ...defined({ annotations, change }),
    ...(warnings.length === 0 ? {} : { warnings }),
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

/** The warning for a tool with the name of one of the gateway's own tools. */
export function ownNameWarning(server: string, name: string): string {
  const command = `toolcrib execute ${shellWord(server)} ${shellWord(name)}`
  return `it has the name of a tool of Toolcrib itself; to call it, name its server too: \`${command}\``
}

function changeWarning(change: ToolChange | undefined, server: string, name: string): readonly string[] {
  if (change?.kind !== 'changed') return []
  const { parts = [] } = change
  const what = parts.length === 0 ? 'it has' : `its ${parts.join(', ')} ${parts.length === 1 ? 'has' : 'have'}`
  const command = `toolcrib pins diff ${shellWord(`${server}:${name}`)}`
  return [`${what} changed since Toolcrib pinned the tool; \`${command}\` shows how`]
}

function notAnObject(input: unknown): Validation {
  return { ok: false, issues: [issueAt('', `expected object, received ${typeNameOf(input)}`)] }
}

function traitsOf({ annotations = {} }: UpstreamTool): ToolTraits {
  const { readOnlyHint, destructiveHint } = annotations
  return {
    ...(typeof readOnlyHint === 'boolean' ? { mutation: !readOnlyHint } : {}),
    // A read-only tool is never destructive, even if it declares that.
    ...(typeof destructiveHint === 'boolean' ? { destructive: destructiveHint && readOnlyHint !== true } : {}),
  }
}

interface ToolMeta extends Pick<ToolEntry, 'category' | 'tags'> {
  readonly traits: Pick<ToolTraits, 'requires' | 'examples'>
}

const MAX_TEXT_CHARS = 64
const MAX_TEXTS = 20
const MAX_EXAMPLES = 10

/** Ignores fields of an unexpected type, because any server can write `_meta`. */
export function readToolMeta(meta: unknown): ToolMeta {
  if (!isRecord(meta)) return { traits: {} }
  const { category, tags, requires, examples } = meta
  const [validCategory] = textsIn([category])
  const [validTags, validRequires, validExamples] = [textsIn(tags), textsIn(requires), examplesIn(examples)]
  return {
    ...defined({ category: validCategory }),
    ...(validTags.length === 0 ? {} : { tags: validTags }),
    traits: {
      ...(validRequires.length === 0 ? {} : { requires: validRequires }),
      ...(validExamples.length === 0 ? {} : { examples: validExamples }),
    },
  }
}

function textsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  const texts = value
    .filter((one): one is string => typeof one === 'string')
    .map((one) => onOneLine(cleanText(one)).trim())
  return texts.filter((text) => text !== '' && text.length <= MAX_TEXT_CHARS).slice(0, MAX_TEXTS)
}

function examplesIn(value: unknown): readonly ToolExample[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, MAX_EXAMPLES).flatMap((one): ToolExample[] => {
    if (!isRecord(one) || !isRecord(one.input)) return []
    const { title, description, input, output } = one
    return [
      {
        // Example arguments are shown to the model. The server does not get them back.
        input: withChanged(input, (value) => cleanValue(value)),
        ...(typeof title === 'string' ? { title: cleanText(title) } : {}),
        ...(typeof description === 'string' ? { description: cleanText(description) } : {}),
        ...(output === undefined ? {} : { output: cleanValue(output) }),
      },
    ]
  })
}
