// A snapshot: all tools at one moment, in a stable order. Replaced, never edited.

import { categoriesOfNames, GENERAL } from '../core/name-categories.ts'
import type { Decide, RuleDecision, Tool, ToolEntry } from '../core/tool.ts'
import { uniqueNames } from './naming.ts'
import { toolId } from './tool-id.ts'
import { once, type Snapshot, snapshotOf } from './tool-set.ts'

export { filterSnapshot, type Snapshot } from './tool-set.ts'

export interface SourceListing {
  readonly sourceId: string
  readonly entries: readonly ToolEntry[]
}

export interface SnapshotOptions {
  /** Names that no tool may be listed under. */
  readonly reserved?: readonly string[]
  /** The rules; without them every tool is enabled. */
  readonly decide?: Decide | undefined
  /** With one source: its own names, whatever they are. */
  readonly keepNames?: boolean | undefined
  /** The tools made before: one that has not changed stays the same object, so that what is kept for it still holds. */
  readonly made?: WeakMap<ToolEntry, Tool>
}

/**
 * The order is that of the sources' names, whatever order they were given in: the same tools are the same list. Within a
 * source it is the order in which it lists its tools.
 */
export function takeSnapshot(given: readonly SourceListing[], options: SnapshotOptions = {}): Snapshot {
  const { reserved = [], decide, keepNames = false, made = new WeakMap() } = options
  const listings = given.toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
  const flat = listings.flatMap(({ sourceId, entries }) => entries.map((entry) => ({ sourceId, entry })))
  const several = listings.length > 1
  const wanted = new Map(
    flat.map(({ sourceId, entry }) => [pairKey(sourceId, entry.name), flatName(sourceId, entry.name, several)]),
  )
  const listed = uniqueNames(wanted, reserved)
  const derived = once(() => categoriesOfNames(flat.map(({ entry }) => entry.name)))
  return snapshotOf(
    flat.map(({ sourceId, entry }) => {
      const isKept = keepNames && !several && !reserved.includes(entry.name)
      const listedName = isKept ? entry.name : (listed.get(pairKey(sourceId, entry.name)) ?? entry.name)
      const decision = decide?.(sourceId, entry.name)
      const stated = entry.category || decision?.category || undefined
      // By author, rule, server where there are several, then name.
      const category = stated ?? (several ? sourceId : (entry.defaultCategory ?? derived().get(entry.name) ?? GENERAL))
      const added = { category, ...(stated === undefined ? {} : { isCategoryStated: true }), sourceId, listedName }
      const tool = toTool(entry, added, decision)
      const before = made.get(entry)
      if (before !== undefined && isSame(before, tool)) return before
      made.set(entry, tool)
      return tool
    }),
  )
}

function toTool(
  entry: ToolEntry,
  added: Pick<Tool, 'category' | 'isCategoryStated' | 'sourceId' | 'listedName'>,
  decision: RuleDecision | undefined,
): Tool {
  const { enabled = true, tags = [], category: _category, ...disabled } = decision ?? {}
  return withFields(entry, {
    ...added,
    id: toolId(added.sourceId, entry.name),
    ...(tags.length === 0 ? {} : { tags: [...new Set([...(entry.tags ?? []), ...tags])] }),
    ...(enabled ? {} : { disabled }),
  })
}

/** A copy with more fields. Getters are copied as such: a spread would parse the schema of every tool. */
function withFields<T extends object, F extends object>(from: T, fields: F): T & F {
  const copy = {}
  for (const key of Object.keys(from)) {
    const field = Object.getOwnPropertyDescriptor(from, key)
    if (field !== undefined && !Object.hasOwn(fields, key)) Object.defineProperty(copy, key, field)
  }
  // All fields of both are there now.
  return Object.assign(copy, fields) as T & F
}

/** Of the same entry: only what the rest of the catalog and the rules add can differ. */
function isSame(a: Tool, b: Tool): boolean {
  const added = ({ id, listedName, category, isCategoryStated, tags, disabled }: Tool) =>
    JSON.stringify([id, listedName, category, isCategoryStated, tags, disabled])
  return added(a) === added(b)
}

// Source `a` with `b__c` and source `a__b` with `c` are not the same tool.
function pairKey(sourceId: string, name: string): string {
  return JSON.stringify([sourceId, name])
}

function flatName(sourceId: string, name: string, several: boolean): string {
  return several ? `${sourceId}__${name}` : name
}
