// The searchable fields of a tool.

import { isRecord } from '../../core/is-record.ts'
import type { DescribedTool } from '../../core/tool.ts'
import type { IndexField } from './tuning.ts'

/** The maximum number of indexed parameters. The largest real tools have thousands, which only cost memory. */
const MAX_PARAMETERS = 64
/** How many levels below the top-level parameters are indexed. The items of a list are a level too. */
const MAX_DEPTH = 4
const MAX_FIELD_CHARS = 4_000

export function fieldTexts(tool: DescribedTool): Readonly<Record<IndexField, string>> {
  const { summary, rest } = splitSummary(tool.description)
  const parameters = collectParameters(tool.inputSchema)
  const title = tool.title ?? tool.annotations?.title
  return {
    server: tool.sourceId,
    name: tool.name,
    title: typeof title === 'string' ? cut(title) : '',
    summary,
    description: rest,
    category: tool.category,
    tags: cut((tool.tags ?? []).join(' ')),
    params: cut(parameters.names.join(' ')),
    details: cut(parameters.texts.join(' ')),
  }
}

/** The first sentence describes the purpose of a tool. The rest is often about arguments and results. */
export function splitSummary(description: string): { readonly summary: string; readonly rest: string } {
  const text = cut(description)
  const end = /[.!?。！？](?:\s|$)|\n\s*\n|[。！？]/.exec(text)
  if (end === null) return { summary: text, rest: '' }
  return { summary: text.slice(0, end.index), rest: text.slice(end.index + 1) }
}

interface Parameters {
  readonly names: string[]
  /** The descriptions and the text values of enums. */
  readonly texts: string[]
}

function collectParameters(schema: unknown, found: Parameters = { names: [], texts: [] }, depth = 0): Parameters {
  if (!isRecord(schema) || depth > MAX_DEPTH) return found
  if (isRecord(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (found.names.length >= MAX_PARAMETERS) return found
      found.names.push(name)
      if (!isRecord(property)) continue
      if (typeof property.description === 'string') found.texts.push(property.description)
      if (Array.isArray(property.enum)) {
        found.texts.push(property.enum.filter((value) => typeof value === 'string').join(' '))
      }
      collectParameters(property, found, depth + 1)
    }
  }
  return collectParameters(schema.items, found, depth + 1)
}

function cut(text: string): string {
  return text.slice(0, MAX_FIELD_CHARS)
}

/** Whether two tools have the same searchable text. A new schema object counts as different. */
export function isSameText(a: DescribedTool, b: DescribedTool): boolean {
  return (
    a.name === b.name &&
    a.description === b.description &&
    a.inputSchema === b.inputSchema &&
    a.title === b.title &&
    a.annotations?.title === b.annotations?.title &&
    a.category === b.category &&
    a.sourceId === b.sourceId &&
    a.tags?.join('\n') === b.tags?.join('\n')
  )
}
