// Replaces servers in the file of a client with the gateway, and restores them.

import { isDeepStrictEqual } from 'node:util'
import { parseDocument } from '../../config/document.ts'
import type { ClientWriter, Launch, WriterContext } from '../../config/imports/importer.ts'
import { shapeOf } from '../../config/problem.ts'
import { isRecord } from '../../core/is-record.ts'
import { changeJson, type JsonChange } from './write-json.ts'
import { changeToml, setInTable, tomlLine, tomlTables, valueAt } from './write-toml.ts'

/** The name of our entry. */
export const OWN_NAME = 'toolcrib'

export interface ClientEntry {
  readonly name: string
  /** The whole key path in the file. */
  readonly path: readonly string[]
  readonly value: unknown
}

export interface ClientDocument {
  readonly text: string
  /** The first key on the path of `section` with a value other than an object. A server cannot be added below it. */
  readonly blocked?: { readonly path: readonly string[]; readonly found: string } | undefined
  /** The key path for a new server. */
  readonly section: readonly string[]
  readonly entries: readonly ClientEntry[]
}

/** An entry together with the document it comes from, such as a backup. */
export interface KeptEntry extends ClientEntry {
  readonly from: ClientDocument
}

/** Parses the file of a client and finds its servers. Undefined if the text cannot be parsed or is not an object. */
export async function openClient(
  writer: ClientWriter,
  text: string,
  file: string,
  context: WriterContext,
): Promise<ClientDocument | undefined> {
  const parsed = await parseDocument(text, writer.format, file)
  if (!parsed.ok || !isRecord(parsed.value)) return undefined
  const document = parsed.value
  const sections = writer.sections(document, context)
  const more = (context.folders ?? []).flatMap((cwd) => writer.sections(document, { ...context, cwd }))
  const all = new Map([...sections, ...more].map((path) => [JSON.stringify(path), path]))
  const entries = [...all.values()].flatMap((path) => {
    const found = valueAt(document, path)
    return Object.entries(isRecord(found) ? found : {}).map(([name, value]) => ({ name, path: [...path, name], value }))
  })
  return { text, section: sections[0], entries, blocked: blockedIn(document, sections[0]) }
}

export function ownEntries({ entries }: ClientDocument): readonly ClientEntry[] {
  return entries.filter(({ name }) => name === OWN_NAME)
}

export function isSamePath(one: ClientEntry, other: ClientEntry): boolean {
  return one.path.length === other.path.length && one.path.every((key, at) => key === other.path[at])
}

/** Replaces these entries with our entry. Undefined if that would damage the rest of the file. */
export async function replaceByGateway(
  writer: ClientWriter,
  document: ClientDocument,
  remove: readonly ClientEntry[],
  launch: Launch,
): Promise<string | undefined> {
  const { text, section } = document
  const path = [...section, OWN_NAME]
  const entry = writer.entry(launch)
  const own = document.entries.find((one) => isSamePath(one, { ...one, path }))
  // Writes only these fields of our entry, so that the user's settings in it stay: variables, limits, and whether it is
  // enabled.
  const fieldsToWrite = own === undefined ? undefined : fieldsToChange(own.value, entry)
  if (writer.format === 'toml') {
    const [table = ''] = section
    const add = await tomlAddition(text, table, entry, fieldsToWrite)
    return add === undefined
      ? undefined
      : changeToml(text, { section: table, remove: remove.map(({ name }) => name), add })
  }
  const ours: readonly JsonChange[] =
    fieldsToWrite === undefined
      ? [{ path, value: entry, isFirst: true }]
      : Object.entries(fieldsToWrite).map(([key, value]) => ({ path: [...path, key], value }))
  return changeJson(text, [...ours, ...remove.map((one) => ({ path: one.path, value: undefined }))])
}

/** Removes our entry and restores these entries. Undefined if that would damage the rest of the file. */
export function restoreEntries(
  writer: ClientWriter,
  document: ClientDocument,
  restored: readonly KeptEntry[],
): Promise<string | undefined> {
  const { text, section } = document
  if (writer.format === 'toml') {
    const [table = ''] = section
    const tables = restored.map(({ name, from }) => tomlTables(from.text, table, [name]))
    return changeToml(text, { section: table, remove: [OWN_NAME], add: Object.assign({}, ...tables) })
  }
  return changeJson(text, [
    ...restored.map(({ path, value }) => ({ path, value })),
    ...ownEntries(document)
      .filter((own) => !restored.some((entry) => isSamePath(entry, own)))
      .map(({ path }) => ({ path, value: undefined })),
  ])
}

/** The fields of our entry to change. Undefined if the entry has a url or no plain command, so that it is replaced. */
function fieldsToChange(
  own: unknown,
  entry: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(own) || own.command === undefined || isRecord(own.command) || own.url !== undefined) return undefined
  const keys = new Set(['command', 'args', ...Object.keys(entry).filter((key) => !Object.hasOwn(own, key))])
  return Object.fromEntries(
    [...keys].filter((key) => !isDeepStrictEqual(own[key], entry[key])).map((key) => [key, entry[key]]),
  )
}

async function tomlAddition(
  text: string,
  section: string,
  entry: Readonly<Record<string, unknown>>,
  fieldsToWrite: Readonly<Record<string, unknown>> | undefined,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (fieldsToWrite === undefined) return { [OWN_NAME]: tomlTable(section, entry) }
  if (Object.keys(fieldsToWrite).length === 0) return {}
  const { [OWN_NAME]: table } = tomlTables(text, section, [OWN_NAME])
  const changed = table === undefined ? undefined : await setInTable(table, [section, OWN_NAME], fieldsToWrite)
  return changed === undefined ? undefined : { [OWN_NAME]: changed }
}

function blockedIn(document: unknown, section: readonly string[]): ClientDocument['blocked'] {
  const prefixes = section.map((_, at) => section.slice(0, at + 1))
  const path = prefixes.find((prefix) => {
    const found = valueAt(document, prefix)
    return found !== undefined && !isRecord(found)
  })
  return path === undefined ? undefined : { path, found: shapeOf(valueAt(document, path)) }
}

function tomlTable(section: string, entry: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(entry).map(([key, value]) => tomlLine(key, value))
  return [`[${section}.${OWN_NAME}]`, ...lines].join('\n')
}
