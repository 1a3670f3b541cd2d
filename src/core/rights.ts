// The rights of a caller: which servers and tools exist for it.

import { defined } from './defined.ts'
import { isRecord } from './is-record.ts'

/** The part of the tools that a caller may see and call. A field that is absent allows everything. */
export interface Rights {
  /** The names of the servers. An empty list allows none. */
  readonly servers?: readonly string[]
  /**
   * Patterns as in the rules: globs or `/regex/flags`, optionally after a `!`. Each is compared with the name of a
   * tool, with `server_tool` and with the id `server:tool`. An empty list allows no tool.
   */
  readonly tools?: readonly string[]
  /** True allows only tools that state that they change nothing. The statement comes from the server of the tool. */
  readonly readOnly?: boolean
  /** Allows what at least one of these rights allows. Not together with the other fields. */
  readonly anyOf?: readonly Rights[]
}

const keys = new WeakMap<Rights, string>()

/** The same text for the same rights. Empty for undefined, which means no limits. */
export function rightsKey(rights: Rights | undefined): string {
  if (rights === undefined) return ''
  const known = keys.get(rights)
  if (known !== undefined) return known
  const { servers, tools, readOnly = false, anyOf } = rights
  const key = JSON.stringify(
    anyOf === undefined ? [sorted(servers), sorted(tools), readOnly] : { anyOf: sorted(anyOf.map(rightsKey)) },
  )
  keys.set(rights, key)
  return key
}

export function hasSameRights(a: Rights | undefined, b: Rights | undefined): boolean {
  return a === b || rightsKey(a) === rightsKey(b)
}

/** Checks rights that outside code returned. Undefined if the value does not describe rights. */
export function parseRights(value: unknown): Rights | undefined {
  if (!isRecord(value)) return undefined
  const { servers, tools, readOnly, anyOf, ...unknown } = value
  // An unknown key may be a misspelled limit. If it were ignored, the rights would be larger.
  if (Object.keys(unknown).length > 0) return
  const hasOthers = [servers, tools, readOnly].some((field) => field !== undefined)
  if (anyOf !== undefined) return hasOthers ? undefined : parseUnion(anyOf)
  if (!isNames(servers) || !isNames(tools) || !(readOnly === undefined || typeof readOnly === 'boolean')) return
  return defined({ servers, tools, readOnly })
}

function parseUnion(anyOf: unknown): Rights | undefined {
  const parts = Array.isArray(anyOf) ? anyOf.map(parseRights) : [undefined]
  return parts.every((part) => part !== undefined) ? { anyOf: parts } : undefined
}

/** The rights that allow what at least one of these allows. Undefined if one of these allows everything. */
export function uniteRights(all: readonly Rights[]): Rights | undefined {
  if (all.some((rights) => EVERYTHING.has(rightsKey(rights)))) return undefined
  const [first] = all
  return all.length === 1 ? first : { anyOf: all }
}

const EVERYTHING: ReadonlySet<string> = new Set([rightsKey({})])

function isNames(value: unknown): value is readonly string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((name) => typeof name === 'string'))
}

function sorted(names: readonly string[] | undefined): readonly string[] | null {
  return names === undefined ? null : [...new Set(names)].sort()
}
