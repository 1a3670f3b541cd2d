// A snapshot: all tools at one moment, in a stable order. Replaced, never edited.

import { deriveCategory } from '../core/names.ts'
import type { Tool, ToolEntry, ToolId } from '../core/tool.ts'
import { uniqueNames } from './naming.ts'

export interface Snapshot {
  readonly tools: readonly Tool[]
  get(id: ToolId): Tool | undefined
  /** By listed name, id or bare name, in that order; a bare name that several sources have stands for none of them. */
  find(name: string): Tool | undefined
  readonly names: readonly string[]
  readonly categories: readonly string[]
  readonly tags: readonly string[]
}

export interface SourceListing {
  readonly sourceId: string
  readonly entries: readonly ToolEntry[]
}

/** The order is the sources' own order and, within a source, the order in which it lists its tools. */
export function takeSnapshot(listings: readonly SourceListing[], reserved: readonly string[] = []): Snapshot {
  const flat = listings.flatMap(({ sourceId, entries }) => entries.map((entry) => ({ sourceId, entry })))
  const several = listings.length > 1
  const wanted = new Map(
    flat.map(({ sourceId, entry }) => [pairKey(sourceId, entry.name), flatName(sourceId, entry.name, several)]),
  )
  const listed = uniqueNames(wanted, reserved)
  return snapshotOf(
    flat.map(({ sourceId, entry }) => ({
      ...entry,
      id: `${sourceId}:${entry.name}`,
      sourceId,
      category: entry.category || deriveCategory(entry.name),
      listedName: listed.get(pairKey(sourceId, entry.name)) ?? entry.name,
    })),
  )
}

/** The same catalog seen through a filter; names stay what they were. */
export function filterSnapshot(snapshot: Snapshot, keep: (tool: Tool) => boolean): Snapshot {
  return snapshotOf(snapshot.tools.filter(keep))
}

function snapshotOf(tools: readonly Tool[]): Snapshot {
  const byId = new Map(tools.map((tool) => [tool.id, tool]))
  const byListedName = new Map(tools.map((tool) => [tool.listedName, tool]))
  const byName = new Map<string, Tool | undefined>()
  for (const tool of tools) byName.set(tool.name, byName.has(tool.name) ? undefined : tool)
  return {
    tools,
    get: (id) => byId.get(id),
    find: (name) => byListedName.get(name) ?? byId.get(name) ?? byName.get(name),
    names: tools.map((tool) => tool.listedName),
    categories: [...new Set(tools.map((tool) => tool.category))],
    tags: [...new Set(tools.flatMap((tool) => tool.tags ?? []))],
  }
}

// Source `a` with `b__c` and source `a__b` with `c` are not the same tool.
function pairKey(sourceId: string, name: string): string {
  return JSON.stringify([sourceId, name])
}

function flatName(sourceId: string, name: string, several: boolean): string {
  return several ? `${sourceId}__${name}` : name
}
