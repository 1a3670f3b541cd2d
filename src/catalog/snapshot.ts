// A snapshot contains all tools at one moment, in a stable order. It is replaced, never edited.

import { categoriesOfNames, GENERAL } from '../core/name-categories.ts'
import type { Decide, RuleDecision, Tool, ToolEntry } from '../core/tool.ts'
import { uniqueNames } from './naming.ts'
import { once, type Snapshot, snapshotOf, toolId } from './tool-set.ts'

export { filterSnapshot, type Snapshot } from './tool-set.ts'

export interface SourceListing {
  readonly sourceId: string
  readonly entries: readonly ToolEntry[]
}

export interface SnapshotOptions {
  /** Names that tools cannot have, because meta-tools have them. */
  readonly reserved?: readonly string[]
  /** The rules. Without rules every tool is enabled. */
  readonly decide?: Decide | undefined
  /** If there is only one source, its tools keep their names, even illegal ones, except reserved names. */
  readonly keepNames?: boolean | undefined
  /** The tools created before. A tool that has not changed stays the same object, so that caches for it stay valid. */
  readonly toolCache?: WeakMap<ToolEntry, Tool>
}

/**
 * Sorts the sources by name, so that the same tools always give the same list. Within a source the tools keep the order
 * in which the source lists them.
 */
export function takeSnapshot(given: readonly SourceListing[], options: SnapshotOptions = {}): Snapshot {
  const { reserved = [], decide, keepNames = false, toolCache = new WeakMap() } = options
  const listings = given.toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
  const flat = listings.flatMap(({ sourceId, entries }) =>
    entries.map((entry) => ({ sourceId, entry, decision: decide?.(sourceId, entry.name) })),
  )
  // A hidden tool must not change the name or the category of another tool: both would show that it exists.
  const shown = flat.filter(({ decision }) => decision?.isHidden !== true)
  const hasSeveral = listings.length > 1
  const wanted = new Map(
    shown.map(({ sourceId, entry }) => [
      pairKey(sourceId, entry.name),
      hasSeveral ? `${sourceId}__${entry.name}` : entry.name,
    ]),
  )
  const listed = uniqueNames(wanted, reserved)
  const derivedCategories = once(() => categoriesOfNames(shown.map(({ entry }) => entry.name)))
  return snapshotOf(
    flat.map(({ sourceId, entry, decision }) => {
      const isKept = keepNames && !hasSeveral && !reserved.includes(entry.name)
      const listedName = isKept ? entry.name : (listed.get(pairKey(sourceId, entry.name)) ?? entry.name)
      const stated = entry.category || decision?.category || undefined
      // The precedence is: the author, a rule, the source if there are several, the naming convention of the source, a
      // category derived from the names of all tools, `general`.
      const category =
        stated ?? (hasSeveral ? sourceId : (entry.defaultCategory ?? derivedCategories().get(entry.name) ?? GENERAL))
      const added = { category, ...(stated === undefined ? {} : { isCategoryStated: true }), sourceId, listedName }
      const tool = toTool(entry, added, decision)
      const before = toolCache.get(entry)
      if (before !== undefined && isSame(before, tool)) return before
      toolCache.set(entry, tool)
      return tool
    }),
  )
}

function toTool(
  entry: ToolEntry,
  added: Pick<Tool, 'category' | 'isCategoryStated' | 'sourceId' | 'listedName'>,
  decision: RuleDecision | undefined,
): Tool {
  const { enabled = true, tags = [], category: _category, isHidden = false, ...disabled } = decision ?? {}
  return withFields(entry, {
    ...added,
    id: toolId(added.sourceId, entry.name),
    ...(tags.length === 0 ? {} : { tags: [...new Set([...(entry.tags ?? []), ...tags])] }),
    ...(enabled ? {} : { disabled }),
    ...(isHidden ? { isHidden } : {}),
  })
}

/** Copies an object with more fields. Getters are copied as getters: a spread would parse the schema of every tool. */
function withFields<T extends object, F extends object>(from: T, fields: F): T & F {
  const copy = {}
  for (const key of Object.keys(from)) {
    const field = Object.getOwnPropertyDescriptor(from, key)
    if (field !== undefined && !Object.hasOwn(fields, key)) Object.defineProperty(copy, key, field)
  }
  // The copy now has all fields of both objects.
  return Object.assign(copy, fields) as T & F
}

/** Compares two tools of the same entry. Only the fields that the catalog and the rules add can differ. */
function isSame(a: Tool, b: Tool): boolean {
  const added = ({ id, listedName, category, isCategoryStated, tags, disabled, isHidden }: Tool) =>
    JSON.stringify([id, listedName, category, isCategoryStated, tags, disabled, isHidden])
  return added(a) === added(b)
}

// A joined text is ambiguous: source `a` with tool `b__c` and source `a__b` with tool `c` are different tools.
function pairKey(sourceId: string, name: string): string {
  return JSON.stringify([sourceId, name])
}
