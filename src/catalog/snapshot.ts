// A snapshot: all tools at one moment, in a stable order. Replaced, never edited.

import { deriveCategory } from '../core/names.ts'
import type { Decide, RuleDecision, Tool, ToolEntry, ToolId } from '../core/tool.ts'
import { uniqueNames } from './naming.ts'

export interface Snapshot {
  readonly tools: readonly Tool[]
  get(id: ToolId): Tool | undefined
  /** By listed name, id or bare name, in that order; a bare name that several sources have stands for none of them. */
  find(name: string): Tool | undefined
  /** All that have this bare name. */
  named(name: string): readonly Tool[]
  readonly names: readonly string[]
  readonly categories: readonly string[]
  readonly tags: readonly string[]
}

export interface SourceListing {
  readonly sourceId: string
  readonly entries: readonly ToolEntry[]
}

export interface SnapshotOptions {
  /** Names that no tool may be listed under. */
  readonly reserved?: readonly string[]
  /** The rules; without them every tool is enabled. */
  readonly decide?: Decide | undefined
  /** The tools made before: one that has not changed stays the same object, so that what is kept for it still holds. */
  readonly made?: WeakMap<ToolEntry, Tool>
}

/** The order is the sources' own order and, within a source, the order in which it lists its tools. */
export function takeSnapshot(listings: readonly SourceListing[], options: SnapshotOptions = {}): Snapshot {
  const { reserved = [], decide, made = new WeakMap() } = options
  const flat = listings.flatMap(({ sourceId, entries }) => entries.map((entry) => ({ sourceId, entry })))
  const several = listings.length > 1
  const wanted = new Map(
    flat.map(({ sourceId, entry }) => [pairKey(sourceId, entry.name), flatName(sourceId, entry.name, several)]),
  )
  const listed = uniqueNames(wanted, reserved)
  return snapshotOf(
    flat.map(({ sourceId, entry }) => {
      const listedName = listed.get(pairKey(sourceId, entry.name)) ?? entry.name
      const category = entry.category || (several ? sourceId : deriveCategory(entry.name))
      const tool = toTool({ ...entry, category }, sourceId, listedName, decide?.(sourceId, entry.name))
      const before = made.get(entry)
      if (before !== undefined && isSame(before, tool)) return before
      made.set(entry, tool)
      return tool
    }),
  )
}

/** Its own category, else by server where there are several, else by the first word of its name. */
function toTool(
  entry: ToolEntry & { readonly category: string },
  sourceId: string,
  listedName: string,
  decision: RuleDecision | undefined,
): Tool {
  const { enabled = true, rule, tags = [] } = decision ?? {}
  return {
    ...entry,
    id: toolId(sourceId, entry.name),
    sourceId,
    listedName,
    ...(tags.length === 0 ? {} : { tags: [...new Set([...(entry.tags ?? []), ...tags])] }),
    ...(enabled ? {} : { disabled: rule === undefined ? {} : { rule } }),
  }
}

/** Of the same entry: only what the rest of the catalog and the rules add can differ. */
function isSame(a: Tool, b: Tool): boolean {
  const added = ({ id, listedName, category, tags, disabled }: Tool) =>
    JSON.stringify([id, listedName, category, tags, disabled])
  return added(a) === added(b)
}

/** The same catalog seen through a filter; names stay what they were. */
export function filterSnapshot(snapshot: Snapshot, keep: (tool: Tool) => boolean): Snapshot {
  return snapshotOf(snapshot.tools.filter(keep))
}

function snapshotOf(tools: readonly Tool[]): Snapshot {
  const byId = new Map(tools.map((tool) => [tool.id, tool]))
  const byListedName = new Map(tools.map((tool) => [tool.listedName, tool]))
  const byName = new Map<string, Tool[]>()
  for (const tool of tools) {
    const same = byName.get(tool.name)
    if (same === undefined) byName.set(tool.name, [tool])
    else same.push(tool)
  }
  const onlyOne = (name: string) => {
    const [tool, ...others] = byName.get(name) ?? []
    return others.length === 0 ? tool : undefined
  }
  return {
    tools,
    get: (id) => byId.get(id),
    find: (name) => byListedName.get(name) ?? byId.get(name) ?? onlyOne(name),
    named: (name) => byName.get(name) ?? [],
    names: tools.map((tool) => tool.listedName),
    categories: [...new Set(tools.map((tool) => tool.category))],
    tags: [...new Set(tools.flatMap((tool) => tool.tags ?? []))],
  }
}

/** `server:tool`. Source `a` with `b:c` and source `a:b` with `c` are not the same tool: colons of a source are escaped. */
export function toolId(sourceId: string, name: string): string {
  return `${sourceId.replace(/[%:]/g, encodeURIComponent)}:${name}`
}

// Source `a` with `b__c` and source `a__b` with `c` are not the same tool.
function pairKey(sourceId: string, name: string): string {
  return JSON.stringify([sourceId, name])
}

function flatName(sourceId: string, name: string, several: boolean): string {
  return several ? `${sourceId}__${name}` : name
}
