// Puts the gateway into a client's own file in place of the servers that it fronts, and takes it out again.

import { isDeepStrictEqual } from 'node:util'
import { parseDocument } from './document.ts'
import type { ClientWriter, Launch, WriterPlace } from './imports/client-writer.ts'
import { isRecord, shapeOf } from './problem.ts'
import { type Change, changeJson } from './write-json.ts'
import { changeToml, tomlTables } from './write-toml.ts'
import { setInTable, tomlLine } from './write-toml-table.ts'

/** The name of our entry. */
export const OWN_NAME = 'toolcrib'

export interface ClientEntry {
  readonly name: string
  /** The whole way to it in the file. */
  readonly path: readonly string[]
  readonly value: unknown
}

export interface ClientDocument {
  readonly text: string
  /** What stands in the way of a new server: a key on the way to it that holds no object. */
  readonly blocked?: { readonly path: readonly string[]; readonly found: string } | undefined
  /** Where a new server goes. */
  readonly section: readonly string[]
  readonly entries: readonly ClientEntry[]
}

/** An entry as it stands in another document, a backup say. */
export interface KeptEntry extends ClientEntry {
  readonly from: ClientDocument
}

/** Undefined where the text makes no sense. */
export async function openClient(
  writer: ClientWriter,
  text: string,
  file: string,
  place: WriterPlace,
): Promise<ClientDocument | undefined> {
  const parsed = await parseDocument(text, writer.format, file)
  if (!parsed.ok || !isRecord(parsed.value)) return undefined
  const document = parsed.value
  const sections = writer.sections(document, place)
  const entries = sections.flatMap((path) => {
    const found = valueAt(document, path)
    return Object.entries(isRecord(found) ? found : {}).map(([name, value]) => ({ name, path: [...path, name], value }))
  })
  return { text, section: sections[0], entries, blocked: blockedIn(document, sections[0]) }
}

export function ownEntries({ entries }: ClientDocument): readonly ClientEntry[] {
  return entries.filter(({ name }) => name === OWN_NAME)
}

export function isSamePlace(one: ClientEntry, other: ClientEntry): boolean {
  return one.path.length === other.path.length && one.path.every((key, at) => key === other.path[at])
}

/** Our entry in place of these. Undefined where that cannot be done without harm to the rest. */
export async function putInPlace(
  writer: ClientWriter,
  document: ClientDocument,
  remove: readonly ClientEntry[],
  launch: Launch,
): Promise<string | undefined> {
  const { text, section } = document
  const path = [...section, OWN_NAME]
  const entry = writer.entry(launch)
  const own = document.entries.find((one) => isSamePlace(one, { ...one, path }))
  // What its user added to our entry stays: variables, limits, whether it is on.
  const renewed = own === undefined ? undefined : renewal(own.value, entry)
  if (writer.format === 'toml') {
    const [table = ''] = section
    const add = await tomlAddition(text, table, entry, renewed)
    return add === undefined ? undefined : changeToml(text, { section: table, remove: namesOf(remove), add })
  }
  const ours: readonly Change[] =
    renewed === undefined
      ? [{ path, value: entry, isFirst: true }]
      : Object.entries(renewed).map(([key, value]) => ({ path: [...path, key], value }))
  // First what is new: taking away the first of several would pull up the next.
  return changeJson(text, [...ours, ...remove.map((one) => ({ path: one.path, value: undefined }))])
}

/** Our entry away, and these back where they were. */
export function takeBack(
  writer: ClientWriter,
  document: ClientDocument,
  back: readonly KeptEntry[],
): Promise<string | undefined> {
  const { text, section } = document
  if (writer.format === 'toml') {
    const [table = ''] = section
    const tables = back.map(({ name, from }) => tomlTables(from.text, table, [name]))
    return changeToml(text, { section: table, remove: [OWN_NAME], add: Object.assign({}, ...tables) })
  }
  return changeJson(text, [
    ...back.map(({ path, value }) => ({ path, value })),
    ...ownEntries(document)
      .filter((own) => !back.some((entry) => isSamePlace(entry, own)))
      .map(({ path }) => ({ path, value: undefined })),
  ])
}

/** What has to change in an entry of ours for it to start the gateway so; undefined where it runs no command. */
function renewal(
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
  renewed: Readonly<Record<string, unknown>> | undefined,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (renewed === undefined) return { [OWN_NAME]: tomlTable(section, entry) }
  if (Object.keys(renewed).length === 0) return {}
  const { [OWN_NAME]: table } = tomlTables(text, section, [OWN_NAME])
  const changed = table === undefined ? undefined : await setInTable(table, [section, OWN_NAME], renewed)
  return changed === undefined ? undefined : { [OWN_NAME]: changed }
}

function namesOf(entries: readonly ClientEntry[]): readonly string[] {
  return entries.map(({ name }) => name)
}

function blockedIn(document: unknown, section: readonly string[]): ClientDocument['blocked'] {
  const ways = section.map((_, at) => section.slice(0, at + 1))
  const path = ways.find((way) => {
    const found = valueAt(document, way)
    return found !== undefined && !isRecord(found)
  })
  return path === undefined ? undefined : { path, found: shapeOf(valueAt(document, path)) }
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), document)
}

function tomlTable(section: string, entry: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(entry).map(([key, value]) => tomlLine(key, value))
  return [`[${section}.${OWN_NAME}]`, ...lines].join('\n')
}
