// An ordered set of tools with lookup by name, and the ids of tools. Lookup tables are created when they are needed.

import { groupBy } from '../core/collections.ts'
import type { DescribedTool, Tool, ToolId } from '../core/tool.ts'

export interface Snapshot<T extends DescribedTool = Tool> {
  /** All tools, in the order of the listing. */
  readonly tools: readonly T[]
  /** Looks up by id. */
  get(id: ToolId): T | undefined
  /**
   * Looks up by listed name, id, `server:tool` and bare name, in that order. A bare name of several sources finds no
   * tool.
   */
  find(name: string): T | undefined
  /** All tools with this bare name. */
  named(name: string): readonly T[]
  /** The listed names, in the same order as `tools`. */
  readonly names: readonly string[]
  /** Each category once. */
  readonly categories: readonly string[]
  /** Each tag once. */
  readonly tags: readonly string[]
}

/** Keeps a part of the tools. The names of the tools do not change. */
export function filterSnapshot<T extends DescribedTool>(
  snapshot: Snapshot<T>,
  keep: (tool: T) => boolean,
): Snapshot<T> {
  return snapshotOf(snapshot.tools.filter(keep))
}

export function snapshotOf<T extends DescribedTool>(tools: readonly T[]): Snapshot<T> {
  const byId = lookupBy(tools, (tool) => tool.id)
  const byListedName = lookupBy(tools, (tool) => tool.listedName)
  const byName = once(() => groupBy(tools, (tool) => tool.name))
  const names = once(() => tools.map((tool) => tool.listedName))
  const categories = once(() => [...new Set(tools.map((tool) => tool.category))])
  const tags = once(() => [...new Set(tools.flatMap((tool) => tool.tags ?? []))])
  const byUniqueName = (name: string) => {
    const [tool, ...others] = byName().get(name) ?? []
    return others.length === 0 ? tool : undefined
  }
  /** Finds `server:tool` if the names themselves contain colons or percent signs. */
  const byWritten = (name: string) => {
    for (const id of idsOf(name)) {
      const tool = byId(id)
      if (tool !== undefined) return tool
    }
    return undefined
  }
  return {
    tools,
    get: byId,
    find: (name) => byListedName(name) ?? byId(name) ?? byWritten(name) ?? byUniqueName(name),
    named: (name) => byName().get(name) ?? [],
    get names() {
      return names()
    },
    get categories() {
      return categories()
    },
    get tags() {
      return tags()
    },
  }
}

/** The number of lookups before a table is built. Most runs of the `toolcrib` command need fewer lookups. */
const LOOKUPS_WITHOUT_TABLE = 16

function lookupBy<T>(tools: readonly T[], keyOf: (tool: T) => string): (key: string) => T | undefined {
  const table = once(() => new Map(tools.map((tool) => [keyOf(tool), tool])))
  let lookups = 0
  return (key) => {
    lookups++
    return lookups > LOOKUPS_WITHOUT_TABLE ? table().get(key) : tools.findLast((tool) => keyOf(tool) === key)
  }
}

export function once<V>(make: () => V): () => V {
  let made: { readonly value: V } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Returns `server:tool`. The last colon separates the two names, because colons of the tool's name are escaped: source
 * `a` with tool `b:c` and source `a:b` with tool `c` have different ids.
 */
export function toolId(sourceId: string, name: string): string {
  // Most names need no escapes, and the test costs less than a replacement.
  return `${sourceId}:${NEEDS_ESCAPE.test(name) ? name.replace(/[%:]/g, encodeURIComponent) : name}`
}

const NEEDS_ESCAPE = /[%:]/

/** The possible ids of a tool that is written as `server:tool`. The id with the longest server name is first. */
function idsOf(written: string): readonly string[] {
  const ids: string[] = []
  for (let at = written.lastIndexOf(':'); at > 0; at = written.lastIndexOf(':', at - 1)) {
    ids.push(toolId(written.slice(0, at), written.slice(at + 1)))
  }
  return ids
}

/** The source that `server:tool` or `server__tool` names. If several match, the one with the longest name. */
export function serverIn(written: string, sources: readonly string[]): string | undefined {
  return sources
    .filter((id) => written.startsWith(`${id}:`) || written.startsWith(`${id}__`))
    .toSorted((a, b) => b.length - a.length)[0]
}
