// Finds the first part of a zod schema that JSON cannot represent. A client could never send a valid value for it.

import type { z } from 'zod'
import { isRecord } from './is-record.ts'

interface NotJson {
  /** `order.items[].price`; empty for the whole input. */
  readonly path: string
  /** The zod type: `bigint`, `set`, `date` and so on. */
  readonly type: string
  /** The replacement to suggest. */
  readonly instead: string
}

/** The key is the `type` in zod's definition. */
const INSTEAD: Readonly<Record<string, string>> = {
  bigint: 'z.coerce.bigint(), which also accepts a number or a text',
  date: 'z.iso.datetime() for a text, or z.coerce.date()',
  set: 'z.array(…).transform((items) => new Set(items))',
  map: 'z.record(z.string(), …).transform((fields) => new Map(Object.entries(fields)))',
  symbol: 'z.string()',
  nan: 'z.number()',
  file: 'a text with the path or the base64 content',
  function: 'a text that names what to do',
  promise: 'the type of the value itself',
}

export function findNotJson(type: z.core.$ZodType): NotJson | undefined {
  return search(type, '', new Set())
}

function search(type: unknown, path: string, seen: Set<unknown>): NotJson | undefined {
  const def = definitionOf(type)
  // `seen` ends the recursion of a schema that refers to itself.
  if (def === undefined || seen.has(type)) return undefined
  seen.add(type)
  const kind = String(def.type)
  const instead = def.coerce === true ? undefined : INSTEAD[kind]
  if (instead !== undefined) return { path, type: kind, instead }
  switch (kind) {
    case 'object':
      return findFirst(Object.entries(isRecord(def.shape) ? def.shape : {}), ([name, one]) =>
        search(one, path === '' ? name : `${path}.${name}`, seen),
      )
    case 'array':
      return search(def.element, `${path}[]`, seen)
    case 'tuple':
      return findFirst([...listOf(def.items), def.rest], (one) => search(one, `${path}[]`, seen))
    case 'record':
      return search(def.valueType, `${path}.*`, seen)
    case 'intersection':
      return search(def.left, path, seen) ?? search(def.right, path, seen)
    case 'union': {
      const options = listOf(def.options)
      const found = options.map((one) => search(one, path, seen))
      // One branch that JSON can represent is enough.
      return found.every((one) => one !== undefined) ? found[0] : undefined
    }
    case 'pipe':
      // A preprocessing function can turn any JSON into the expected type.
      return definitionOf(def.in)?.type === 'transform' ? undefined : search(def.in, path, seen)
    case 'lazy':
      return typeof def.getter === 'function' ? search(def.getter(), path, seen) : undefined
    case 'catch':
      // It replaces an invalid value with its own, so a client can send any JSON.
      return undefined
    default:
      // `optional`, `nullable`, `default` and similar types wrap another type.
      return search(def.innerType, path, seen)
  }
}

function definitionOf(type: unknown): Readonly<Record<string, unknown>> | undefined {
  const internals = isRecord(type) ? type._zod : undefined
  const def = isRecord(internals) ? internals.def : undefined
  return isRecord(def) ? def : undefined
}

function findFirst<T>(items: readonly T[], find: (item: T) => NotJson | undefined): NotJson | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
