// The form of a tool, which pins compare: the fields that a model reads, as the server sent them, with sorted keys.

import { createHash } from 'node:crypto'
import { escapeUnseen } from '../../../core/clean-text.ts'
import { isRecord } from '../../../core/is-record.ts'
import { parseJson } from '../../../core/parse-json.ts'

/** The fields of a tool that are compared. Icons are not: a model does not read them as instructions. */
interface PinnedFields {
  readonly title?: string
  readonly description?: string
  readonly annotations?: unknown
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  /** The part of `_meta` that a model sees. */
  readonly metadata?: unknown
}

/** A tool as its server sent it. */
export type SentFields = Omit<PinnedFields, 'metadata'> & { readonly _meta?: unknown }

const FIELDS = ['title', 'description', 'annotations', 'inputSchema', 'outputSchema', 'metadata'] as const

export interface ToolForm {
  readonly hash: string
  /** JSON with sorted keys. */
  readonly text: string
}

/** The fields of `_meta` that `entry.ts` reads. All of them reach the model. */
const READ_FIELDS: ReadonlySet<string> = new Set(['category', 'tags', 'requires', 'examples'])

/** The part of `_meta` that a model sees, as the server sent it. Undefined if there is none. */
export function seenMeta(meta: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(meta)) return undefined
  const seen = Object.entries(meta).filter(([field]) => READ_FIELDS.has(field))
  return seen.length === 0 ? undefined : Object.fromEntries(seen)
}

export function formOf(tool: SentFields): ToolForm {
  const fields: PinnedFields = { ...tool, metadata: seenMeta(tool._meta) }
  const text = JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, sorted(fields[field])])))
  return { hash: createHash('sha256').update(text).digest('hex').slice(0, 32), text }
}

/** Reads a text of `formOf`. Empty if it is not valid. */
export function readForm(text: string): PinnedFields {
  const read = parseJson(text)
  return isRecord(read) ? read : {}
}

/** The fields in which two forms differ, in the words of a user. */
export function changedParts(before: PinnedFields, after: PinnedFields): readonly string[] {
  return FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field])).map(
    (field) => WORDS[field],
  )
}

const WORDS: Readonly<Record<(typeof FIELDS)[number], string>> = {
  title: 'title',
  description: 'description',
  annotations: 'annotations',
  inputSchema: 'input schema',
  outputSchema: 'output schema',
  metadata: 'metadata',
}

/**
 * The text of `formOf` as lines, to compare two forms: the name of each field, followed by the indented lines of its
 * value. Invisible characters are shown as escapes. Empty for undefined.
 */
export function formLines(text: string | undefined): string {
  const form = readForm(text ?? '')
  return FIELDS.flatMap((field) =>
    form[field] === undefined ? [] : [`${WORDS[field]}:`, ...valueLines(form[field])],
  ).join('\n')
}

function valueLines(value: unknown): readonly string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.split('\n').map((line) => `  ${escapeUnseen(line)}`)
}

/** Sorts keys and the names in `required`, because their order has no meaning. */
function sorted(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const isSet = key === 'required' && value.every((item) => typeof item === 'string')
    return isSet ? value.toSorted() : value.map((item) => sorted(item))
  }
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, sorted(item, name)]),
  )
}
