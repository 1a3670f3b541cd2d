// Changes the text of our own config: adds servers, rules and sources, or removes, enables or disables a server.

import type { SourceInput } from '../../config/config.ts'
import { kindOf } from '../../config/connection-kinds.ts'
import { type Format, formatOf, parseDocument } from '../../config/document.ts'
import { findKey } from '../../config/entries.ts'
import type { ServerConfig, ToolRule } from '../../config/server-config.ts'
import type { EntryFields } from '../../config/server-entry.ts'
import { defined } from '../../core/defined.ts'
import { isRecord } from '../../core/is-record.ts'
import { applyEdits, changeJson, type JsonChange } from './write-json.ts'

/** The servers, rules and sources that a config gets. */
export interface Addition {
  readonly servers: readonly ServerConfig[]
  readonly rules: readonly ToolRule[]
  readonly sources: readonly SourceInput[]
}

/** Undefined if the file cannot be edited, for example because of its format or a syntax error. */
export async function addToConfig(text: string, file: string, addition: Addition): Promise<string | undefined> {
  const read = await readConfigText(text, file)
  if (read === undefined || read.format === 'toml' || !isRecord(read.value)) return undefined
  const changes = changesFor(discoveryIn(read.value), addition)
  return read.format === 'json' ? changeJson(text, changes) : changeYaml(text, changes)
}

/** A server in the format of our config. */
export function serverEntry(server: ServerConfig): EntryFields {
  const { name: _name, writtenName: _written, origin: _origin, folderVariables: _folder, ...fields } = server
  const { connection, enabled, ...about } = fields
  return { ...about, ...(enabled ? {} : { enabled }), ...kindOf(connection).entry(connection) }
}

/** A rule in the format of our config. */
export function ruleEntry({ pattern, server, enabled, tags, category }: ToolRule): Omit<ToolRule, 'origin'> {
  return defined({ server, pattern, enabled, tags, category })
}

function changesFor(discovery: Readonly<Record<string, unknown>>, addition: Addition): readonly JsonChange[] {
  const { servers: before } = discovery
  const { servers, rules, sources } = addition
  const appendTo = (key: string, more: readonly unknown[]): readonly JsonChange[] => {
    const old: unknown = discovery[key]
    return more.length === 0 ? [] : [{ path: ['discovery', key], value: [...(Array.isArray(old) ? old : []), ...more] }]
  }
  const added = Array.isArray(before)
    ? appendTo(
        'servers',
        servers.map((one) => ({ name: one.name, ...serverEntry(one) })),
      )
    : servers.map((one) => ({ path: ['discovery', 'servers', one.name], value: serverEntry(one) }))
  return [...added, ...appendTo('toolRules', rules.map(ruleEntry)), ...appendTo('sources', sources)]
}

interface ConfigChange extends Omit<JsonChange, 'path'> {
  readonly path: readonly (string | number)[]
}

async function changeYaml(text: string, changes: readonly ConfigChange[]): Promise<string | undefined> {
  const { parseDocument: parse } = await import('yaml')
  const byteOrderMark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(byteOrderMark.length)
  // An empty text is parsed as `{}`: a document without content cannot be edited.
  const document = parse(body.trim() === '' ? '{}' : body, { prettyErrors: false, logLevel: 'silent' })
  if (document.errors.length > 0) return undefined
  try {
    for (const { path, value } of changes) {
      if (value === undefined) document.deleteIn(path)
      // Without this option, an object that occurs twice in the value becomes an alias.
      else document.setIn(path, document.createNode(value, { aliasDuplicateObjects: false }))
    }
  } catch {
    // The path leads through an alias. The change would also affect the entry that the alias points to.
    return undefined
  }
  const changed = document.toString({ lineWidth: 0, ...yamlLayout(body) })
  return `${byteOrderMark}${body.includes('\r\n') ? changed.replace(/\r?\n/g, '\r\n') : changed}`
}

/** The layout of the text, as options for the YAML writer. */
function yamlLayout(text: string): { indent: number; indentSeq: boolean; flowCollectionPadding: boolean } {
  const indent = /^( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2
  return {
    indent: Math.max(indent, 2),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text),
    flowCollectionPadding: !/[{[](?=[^\s}\]])/.test(text),
  }
}

export type ServerEdit = 'remove' | 'enable' | 'disable'

type EditedText =
  /** The text is unchanged if the server already is in the wanted state. */
  | { readonly kind: 'edited'; readonly text: string }
  /** The text has no entry with this name. */
  | { readonly kind: 'absent' }
  /** The format, a syntax error, a duplicate key or an alias prevents the edit. */
  | { readonly kind: 'unwritable' }

interface Entry {
  /** From the root of the document. The last part is the key of the server in an object, or its index in a list. */
  readonly path: readonly (string | number)[]
  readonly value: Readonly<Record<string, unknown>>
}

export async function editServer(text: string, file: string, name: string, edit: ServerEdit): Promise<EditedText> {
  const read = await readConfigText(text, file)
  if (read === undefined) return { kind: 'unwritable' }
  const entry = entryIn(read.value, name)
  if (entry === undefined) return { kind: 'absent' }
  const changes = changesOf(entry, edit)
  if (changes.length === 0) return { kind: 'edited', text }
  if (read.format === 'toml') return { kind: 'unwritable' }
  const changed = read.format === 'json' ? await changeJsonEntry(text, changes) : await changeYaml(text, changes)
  const isRight = changed !== undefined && (await isDone(changed, file, name, edit))
  return isRight ? { kind: 'edited', text: changed } : { kind: 'unwritable' }
}

/** Whether the text of a config has an entry with this name. Undefined if the text cannot be read. */
export async function hasServer(text: string, file: string, name: string): Promise<boolean | undefined> {
  const read = await readConfigText(text, file)
  return read === undefined ? undefined : entryIn(read.value, name) !== undefined
}

/** Undefined if the format is unknown or the text has a syntax error. */
async function readConfigText(text: string, file: string): Promise<{ format: Format; value: unknown } | undefined> {
  const format = formatOf(file)
  if (format === undefined) return undefined
  const parsed = await parseDocument(text, format, file)
  return parsed.ok ? { format, value: parsed.value } : undefined
}

function discoveryIn(document: unknown): Readonly<Record<string, unknown>> {
  return isRecord(document) && isRecord(document.discovery) ? document.discovery : {}
}

function entryIn(document: unknown, name: string): Entry | undefined {
  const { servers } = discoveryIn(document)
  if (Array.isArray(servers)) {
    const at = servers.findIndex((one) => isRecord(one) && one.name === name)
    return at === -1 ? undefined : { path: ['discovery', 'servers', at], value: servers[at] }
  }
  if (!isRecord(servers) || !Object.hasOwn(servers, name)) return undefined
  const value = servers[name]
  return { path: ['discovery', 'servers', name], value: isRecord(value) ? value : {} }
}

function changesOf({ path, value }: Entry, edit: ServerEdit): readonly ConfigChange[] {
  if (edit === 'remove') return [{ path, value: undefined }]
  const enabled = findKey(value, 'enabled')
  const disabled = findKey(value, 'disabled')
  const isOff = value[enabled ?? ''] === false || value[disabled ?? ''] === true
  if (isOff === (edit === 'disable')) return []
  if (edit === 'disable') {
    // An entry that was pasted from a client may have `disabled: false`. Changes this key instead of adding `enabled`.
    const key = enabled === undefined && disabled !== undefined ? disabled : (enabled ?? 'enabled')
    return [{ path: [...path, key], value: key === disabled }]
  }
  return [enabled, disabled].flatMap((key) => (key === undefined ? [] : [{ path: [...path, key], value: undefined }]))
}

/** Uses `jsonc-parser` for a path through a list, because `changeJson` supports only keys. */
async function changeJsonEntry(text: string, changes: readonly ConfigChange[]): Promise<string | undefined> {
  const keyed = changes.flatMap(({ path, value }) => {
    const keys = path.filter((key) => typeof key === 'string')
    return keys.length === path.length ? [{ path: keys, value }] : []
  })
  if (keyed.length === changes.length) return changeJson(text, keyed)
  const { modify } = await import('jsonc-parser')
  const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: /^( +)\S/m.exec(text)?.[1]?.length ?? 2 }
  let changed = text
  for (const { path, value } of changes) {
    changed = applyEdits(changed, modify(changed, [...path], value, { formattingOptions }))
  }
  return changed
}

/** Whether the changed text has the wanted effect. */
async function isDone(text: string, file: string, name: string, edit: ServerEdit): Promise<boolean> {
  const read = await readConfigText(text, file)
  if (read === undefined) return false
  const entry = entryIn(read.value, name)
  return edit === 'remove' ? entry === undefined : entry !== undefined && changesOf(entry, edit).length === 0
}
