// The sources that exist for a caller with limited rights.

import type { Snapshot } from '../catalog/snapshot.ts'
import type { Rights } from '../core/rights.ts'
import { compileRights } from '../rules/rights.ts'
import type { ToolSource } from '../sources/source.ts'

interface OwnSources {
  /** All tools, and those that exist for the caller. */
  readonly all: Snapshot
  readonly known: Snapshot
  countOf(tools: Snapshot, source: string): number
}

/**
 * With rights to single tools, a source exists as soon as it has one of them. Before its tools are known, it exists only
 * if the rights name it.
 */
export function ownSources(
  sources: readonly ToolSource[],
  rights: Rights,
  { all, known, countOf }: OwnSources,
): readonly ToolSource[] {
  const { allowsServer, namesServer } = compileRights(rights)
  const isNamed = (id: string) => namesServer(id) && (rights.tools === undefined || countOf(all, id) === 0)
  return sources.filter(({ id }) => allowsServer(id) && (countOf(known, id) > 0 || isNamed(id)))
}
