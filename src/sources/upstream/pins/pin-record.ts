// The pins of one server: the form of each tool when it was first listed or last approved, and its present form.

import { createHash } from 'node:crypto'
import { kindOf } from '../../../config/connection-kinds.ts'
import type { Connection } from '../../../config/server-config.ts'
import { escapeUnseen } from '../../../core/clean-text.ts'
import { stableHash } from '../../../core/hash.ts'
import { isRecord } from '../../../core/is-record.ts'
import { isTime, parseJson } from '../../../core/json.ts'

interface StoredForm {
  readonly hash: string
  readonly at: number
  /** Absent if the text is too long to be kept. */
  readonly text?: string
}

export interface ToolPin {
  readonly name: string
  /** Absent for a tool that the server added after its other tools were pinned. */
  readonly pinned?: StoredForm
  /** The present form of the tool. Set if the tool differs from its pin or has none. */
  readonly seen?: StoredForm
}

export interface PinRecord {
  readonly version: typeof VERSION
  /** The name of the server in the configuration. */
  readonly server: string
  /** A hash of the connection as written, to find the pins of a server with a new name. */
  readonly connection: string
  readonly tools: readonly ToolPin[]
}

const VERSION = 1
/** Longer texts are compared by their hash only. */
const MAX_TEXT_CHARS = 16_384
/** The limit for the texts of all tools of a server together. */
const MAX_TEXTS_CHARS = 8_388_608
export const PINS_PREFIX = 'pins/'

type PinnedServer = { readonly name: string; readonly connection: Connection }

/**
 * The key of the pins of a server: its name, and its program or address. The version of a package, further arguments
 * and variables are not part of it, so that pins outlive an update.
 */
export function pinsKey({ name, connection }: PinnedServer): string {
  return `${PINS_PREFIX}${stableHash([name, connection.type, kindOf(connection).stableTarget(connection)])}`
}

export function connectionHash({ connection }: PinnedServer): string {
  return stableHash(connection)
}

/** Undefined if the value is not a record of this version. */
export function readRecord(value: unknown): PinRecord | undefined {
  if (!isRecord(value) || value.version !== VERSION) return undefined
  const { server, connection, tools } = value
  if (typeof server !== 'string' || typeof connection !== 'string' || !Array.isArray(tools)) return undefined
  return tools.every(isPin) ? { version: VERSION, server, connection, tools } : undefined
}

/** Compares a list of the server with the record. Returns the new record, or the same object if nothing differs. */
export function recordAfter(
  record: PinRecord | undefined,
  about: Pick<PinRecord, 'server' | 'connection'>,
  forms: ReadonlyMap<string, ToolForm>,
  now: number,
): PinRecord | undefined {
  // A server without tools has nothing to pin. Its first tools are pinned when it lists them.
  if (record === undefined && forms.size === 0) return undefined
  const known = new Map((record?.tools ?? []).map((pin) => [pin.name, pin]))
  let isSame = record?.connection === about.connection && record.server === about.server
  for (const [name, form] of forms) {
    const before = known.get(name)
    const after = record === undefined ? { name, pinned: toStoredForm(form, now) } : pinAfter(name, before, form, now)
    if (after === before) continue
    known.set(name, after)
    isSame = false
  }
  return isSame ? record : withinLimit({ version: VERSION, ...about, tools: [...known.values()] })
}

function pinAfter(name: string, before: ToolPin | undefined, form: ToolForm, now: number): ToolPin {
  if (before?.pinned?.hash === form.hash) return before.seen === undefined ? before : { name, pinned: before.pinned }
  if (before?.seen?.hash === form.hash) return before
  return { name, ...(before?.pinned === undefined ? {} : { pinned: before.pinned }), seen: toStoredForm(form, now) }
}

/** Pins the present form of the tool, or of all tools. Returns the names of the tools that were changed or new. */
export function approve(
  record: PinRecord,
  tool: string | undefined,
): { readonly record: PinRecord; readonly approved: readonly string[] } {
  const approved: string[] = []
  const tools = record.tools.map((pin) => {
    if (pin.seen === undefined || (tool !== undefined && pin.name !== tool)) return pin
    approved.push(pin.name)
    return { name: pin.name, pinned: pin.seen }
  })
  return { record: { ...record, tools }, approved }
}

/**
 * Identifies the changed forms of the tool, or of all tools. `pins diff` prints this hash and `pins approve` compares
 * it, because a server can change its tools between the two commands.
 */
export function changesHash({ tools }: PinRecord, tool: string | undefined): string {
  const changed = tools.filter(({ name, seen }) => seen !== undefined && (tool === undefined || name === tool))
  return stableHash(changed.map(({ name, seen }) => [name, seen?.hash])).slice(0, 12)
}

function toStoredForm({ hash, text }: ToolForm, at: number): StoredForm {
  return { hash, at, ...(text.length > MAX_TEXT_CHARS ? {} : { text }) }
}

/** Drops the texts of the last tools if all texts together are too long. Hashes are always kept. */
function withinLimit(record: PinRecord): PinRecord {
  let chars = 0
  const withinTextLimit = ({ text, ...rest }: StoredForm): StoredForm => {
    chars += text?.length ?? 0
    return text === undefined || chars > MAX_TEXTS_CHARS ? rest : { ...rest, text }
  }
  const tools = record.tools.map(({ name, pinned, seen }) => ({
    name,
    ...(pinned === undefined ? {} : { pinned: withinTextLimit(pinned) }),
    ...(seen === undefined ? {} : { seen: withinTextLimit(seen) }),
  }))
  return { ...record, tools }
}

function isPin(value: unknown): value is ToolPin {
  if (!isRecord(value) || typeof value.name !== 'string') return false
  const { pinned, seen } = value
  return (pinned !== undefined || seen !== undefined) && [pinned, seen].every((one) => one === undefined || isForm(one))
}

function isForm(value: unknown): value is StoredForm {
  if (!isRecord(value) || typeof value.hash !== 'string' || !isTime(value.at)) return false
  return value.text === undefined || typeof value.text === 'string'
}

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
export function modelMeta(meta: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(meta)) return undefined
  const fields = Object.entries(meta).filter(([field]) => READ_FIELDS.has(field))
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

export function formOf(tool: SentFields): ToolForm {
  const fields: PinnedFields = { ...tool, metadata: modelMeta(tool._meta) }
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
