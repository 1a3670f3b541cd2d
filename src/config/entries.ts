// Reads the server entries of a file one by one, so that an invalid entry does not prevent the others from being read.

import { z } from 'zod'
import { isRecord } from '../core/is-record.ts'
import { check, misspelledKeys } from './check.ts'
import {
  type ConfigFinding,
  type ConfigProblem,
  failClosedProblem,
  inside,
  pathText,
  problemAt,
  type Severity,
  shapeOf,
} from './problem.ts'
import {
  buildServer,
  type EntryFields,
  type EntryLocation,
  type FieldKeys,
  type ImportResult,
  joinResults,
  noServers,
} from './server-entry.ts'

export type NamedFields = EntryFields & {
  /** Default: the key of the entry. */
  readonly name?: string | undefined
  /** The keys that the fields have in the file, for reports. */
  readonly keys?: FieldKeys
  /** The reason why a well-formed entry cannot be started from here. */
  readonly unusable?: ConfigFinding | undefined
}

export interface EntryFormat<S extends z.ZodObject> {
  /** The schema of an entry in the file of the client. */
  readonly schema: S
  /** Returns the entry with our field names. `key` is undefined in a list. */
  fields(entry: z.output<S>, key: string | undefined): NamedFields
  /** The severity of the report about a key that the schema does not have. */
  readonly unknownKeys: Severity
  /** Accepts `server_url` for `serverUrl`. */
  readonly anySpelling?: boolean
}

/** More servers than any user has. The rest of a longer object is not read. */
const MAX_ENTRIES = 5_000

/** Accepts a number or a boolean as text. */
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String)
export const texts = z.array(text)
/** Variables or headers. One with the value null is left out. */
export const textRecord = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .transform((record) =>
    Object.fromEntries(
      Object.entries(record).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]])),
    ),
  )

/** Keys that have a meaning for the client but not for the gateway. */
export function ignoredKeys<K extends string>(...keys: readonly K[]): Record<K, z.ZodOptional<z.ZodUnknown>> {
  // Every key has the same type.
  return Object.fromEntries(keys.map((key) => [key, z.unknown().optional()])) as Record<K, z.ZodOptional<z.ZodUnknown>>
}

export function readEntries<S extends z.ZodObject>(
  entries: unknown,
  format: EntryFormat<S>,
  location: EntryLocation,
): ImportResult {
  if (entries === undefined) return noServers([])
  if (!isRecord(entries)) {
    return noServers([
      problemAt(location, { expected: 'an object with one entry per server', found: shapeOf(entries) }),
    ])
  }
  const all = Object.entries(entries)
  const results = all.slice(0, MAX_ENTRIES).map(([key, entry]) => readEntry(entry, key, format, inside(location, key)))
  const surplus = problemAt(location, { expected: `at most ${MAX_ENTRIES} servers`, found: String(all.length) })
  return joinResults(all.length > MAX_ENTRIES ? [...results, noServers([surplus])] : results)
}

export function readEntry<S extends z.ZodObject>(
  entry: unknown,
  key: string | undefined,
  format: EntryFormat<S>,
  location: EntryLocation,
): ImportResult {
  const { schema, unknownKeys } = format
  const input = format.anySpelling === true && isRecord(entry) ? respell(entry, schema.shape) : entry
  const { value, problems } = check(schema, input, location, { unknownKeys })
  const refused = protectedNames(input, key, problems, format, location)
  if (value === undefined || refused.length > 0) {
    const effect = `server '${refused[0]}' is not served from this file or from a file with lower precedence`
    return noServers(refused.length === 0 ? problems : [...problems, failClosedProblem(location, effect)], refused)
  }
  const { name = key, keys, unusable, ...fields } = format.fields(value, key)
  if (unusable !== undefined) return noServers([...problems, problemAt(location, unusable)])
  if (name === undefined) return noServers([...problems, missingName(location)])
  const built = buildServer(name, fields, location, keys)
  return { ...built, problems: [...problems, ...built.problems] }
}

/** The keys that restrict a server or turn off some of its tools, under our names and the names of clients. */
const PROTECTING_KEYS = [
  'enabled',
  'disabled',
  'enabledTools',
  'includeTools',
  'disabledTools',
  'excludeTools',
  'inheritEnv',
  'perPrincipal',
]

/**
 * Returns the name of an entry with an unreadable or misspelled security setting, so that an entry of the same name
 * cannot replace it. Otherwise the list is empty.
 */
function protectedNames<S extends z.ZodObject>(
  entry: unknown,
  key: string | undefined,
  problems: readonly ConfigProblem[],
  { schema, unknownKeys }: EntryFormat<S>,
  location: EntryLocation,
): readonly string[] {
  if (!isRecord(entry)) return []
  const start = pathText(location.path).length
  // `tools` is an allow list in some clients.
  const protecting = [...PROTECTING_KEYS, 'tools'].map(normalizeKey)
  const isWrong = problems.some(({ path, kind }) => {
    const name = /^\.(\w+)/.exec(path.slice(start))?.[1] ?? ''
    return protecting.includes(normalizeKey(name)) && kind !== 'unknown-key'
  })
  // An unknown key is normal in the file of a client. In our own file it is a mistake, perhaps a misspelled setting.
  const names = Object.keys(schema.shape)
  const isMisspelled =
    unknownKeys === 'error' && PROTECTING_KEYS.some((name) => misspelledKeys(entry, name, names).length > 0)
  const name = key ?? entry.name
  return (isWrong || isMisspelled) && typeof name === 'string' ? [name] : []
}

/** Finds the key with this name, or else the only key that differs only in case, dashes or underscores. */
export function findKey(record: Readonly<Record<string, unknown>>, name: string): string | undefined {
  if (Object.hasOwn(record, name)) return name
  const alike = Object.keys(record).filter((key) => normalizeKey(key) === normalizeKey(name))
  return alike.length === 1 ? alike[0] : undefined
}

/** Gives the keys of an entry the spelling that they have in the schema. Unknown keys are kept. */
function respell(entry: Readonly<Record<string, unknown>>, shape: Readonly<Record<string, unknown>>): unknown {
  if (Object.keys(entry).every((key) => Object.hasOwn(shape, key))) return entry
  const renamed = new Map(Object.keys(shape).map((name) => [findKey(entry, name), name]))
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [renamed.get(key) ?? key, value]))
}

function normalizeKey(key: string): string {
  return key.toLowerCase().replaceAll(/[-_]/g, '')
}

function missingName(location: EntryLocation): ConfigProblem {
  return problemAt(inside(location, 'name'), { expected: 'a name', found: 'nothing' })
}
