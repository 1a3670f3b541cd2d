// The entries of a client's file or of ours: each is read on its own, so that a bad one spoils no other.

import { z } from 'zod'
import { check } from './check.ts'
import { closed, misspelt } from './fail-closed.ts'
import {
  type ConfigProblem,
  type Finding,
  inside,
  isRecord,
  pathText,
  problemAt,
  type Severity,
  shapeOf,
} from './problem.ts'
import {
  buildServer,
  type EntryFields,
  type EntryPlace,
  type EntryResult,
  type FieldKeys,
  joinResults,
  nothing,
} from './server-entry.ts'

export interface NamedFields extends EntryFields {
  /** Left out: the key of the entry. */
  readonly name?: string | undefined
  readonly keys?: FieldKeys
  /** Why the entry, though well formed, is nothing that can be run from here. */
  readonly unusable?: Finding | undefined
}

export interface EntryFormat<S extends z.ZodObject> {
  readonly schema: S
  /** The entry under our names; `key` is undefined in a list. */
  fields(entry: z.output<S>, key: string | undefined): NamedFields
  readonly unknownKeys: Severity
  /** Accepts `server_url` for `serverUrl`. */
  readonly anySpelling?: boolean
}

/** More than any user has; a file of more is not read to its end. */
const MAX_ENTRIES = 5_000

/** A number or a truth value where only text makes sense is meant as text. */
export const text = z.union([z.string(), z.number(), z.boolean()]).transform(String)
export const texts = z.array(text)
/** A value of null unsets what is not set. */
export const textRecord = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .transform((record) =>
    Object.fromEntries(
      Object.entries(record).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]])),
    ),
  )

/** Keys that mean something to the client and nothing here. */
export function ignoredKeys<K extends string>(...keys: readonly K[]): Record<K, z.ZodOptional<z.ZodUnknown>> {
  // Each key was just given the one type there is.
  return Object.fromEntries(keys.map((key) => [key, z.unknown().optional()])) as Record<K, z.ZodOptional<z.ZodUnknown>>
}

export function readEntries<S extends z.ZodObject>(
  entries: unknown,
  format: EntryFormat<S>,
  place: EntryPlace,
): EntryResult {
  if (entries === undefined) return nothing([])
  if (!isRecord(entries)) {
    return nothing([problemAt(place, { expected: 'an object with one entry per server', found: shapeOf(entries) })])
  }
  const all = Object.entries(entries)
  const results = all.slice(0, MAX_ENTRIES).map(([key, entry]) => readEntry(entry, key, format, inside(place, key)))
  const surplus = problemAt(place, { expected: `at most ${MAX_ENTRIES} servers`, found: String(all.length) })
  return joinResults(all.length > MAX_ENTRIES ? [...results, nothing([surplus])] : results)
}

export function readEntry<S extends z.ZodObject>(
  entry: unknown,
  key: string | undefined,
  format: EntryFormat<S>,
  place: EntryPlace,
): EntryResult {
  const { schema, unknownKeys } = format
  const input = format.anySpelling === true && isRecord(entry) ? respell(entry, schema.shape) : entry
  const { value, problems } = check(schema, input, place, { unknownKeys })
  const refused = protectedNames(input, key, problems, format, place)
  if (value === undefined || refused.length > 0) {
    const effect = `server '${refused[0]}' is not served, from this file or any that comes after it`
    return nothing(refused.length === 0 ? problems : [...problems, closed(place, effect)], refused)
  }
  const { name = key, keys, unusable, ...fields } = format.fields(value, key)
  if (unusable !== undefined) return nothing([...problems, problemAt(place, unusable)])
  if (name === undefined) return nothing([...problems, missingName(place)])
  const built = buildServer(name, fields, place, keys)
  return { ...built, problems: [...problems, ...built.problems] }
}

/** The keys that turn off a server or some of its tools, under our names and the names of clients. */
const PROTECTING = ['enabled', 'disabled', 'enabledTools', 'includeTools', 'disabledTools', 'excludeTools']

/** The name of an entry whose protecting part cannot be read, so that no other entry of that name takes its place. */
function protectedNames<S extends z.ZodObject>(
  entry: unknown,
  key: string | undefined,
  problems: readonly ConfigProblem[],
  { schema, unknownKeys }: EntryFormat<S>,
  place: EntryPlace,
): readonly string[] {
  if (!isRecord(entry)) return []
  const start = pathText(place.path).length
  // `tools` of some clients is an allow list.
  const protecting = [...PROTECTING, 'tools'].map(spelling)
  const isWrong = problems.some(({ path, message }) => {
    const name = /^\.(\w+)/.exec(path.slice(start))?.[1] ?? ''
    return protecting.includes(spelling(name)) && !message.startsWith('Unknown key')
  })
  // Clients ignore keys that they do not know, and so do we; in our own file such a key is a mistake.
  const names = Object.keys(schema.shape)
  const isMisspelt = unknownKeys === 'error' && PROTECTING.some((name) => misspelt(entry, name, names).length > 0)
  const name = key ?? entry.name
  return (isWrong || isMisspelt) && typeof name === 'string' ? [name] : []
}

/** The one key that is spelled like this, whatever its case, dashes and underscores. */
export function findKey(record: Readonly<Record<string, unknown>>, name: string): string | undefined {
  if (Object.hasOwn(record, name)) return name
  const alike = Object.keys(record).filter((key) => spelling(key) === spelling(name))
  return alike.length === 1 ? alike[0] : undefined
}

function respell(entry: Readonly<Record<string, unknown>>, shape: Readonly<Record<string, unknown>>): unknown {
  if (Object.keys(entry).every((key) => Object.hasOwn(shape, key))) return entry
  const renamed = new Map(Object.keys(shape).map((name) => [findKey(entry, name), name]))
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [renamed.get(key) ?? key, value]))
}

function spelling(key: string): string {
  return key.toLowerCase().replaceAll(/[-_]/g, '')
}

function missingName(place: EntryPlace): ConfigProblem {
  return problemAt(inside(place, 'name'), { expected: 'a name', found: 'nothing' })
}
