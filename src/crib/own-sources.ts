// The sources that exist for a caller with limited rights.

import type { Snapshot } from '../catalog/snapshot.ts'
import type { Rights } from '../core/rights.ts'
import { compileRights } from '../rules/rights.ts'
import type { ToolSource } from '../sources/source.ts'

interface OwnSources {
  readonly all: Snapshot
  /** The tools that exist for the caller. */
  readonly known: Snapshot
  countOf(tools: Snapshot, source: string): number
}

/** A source exists for the caller if one of its tools does, or if the rights show it without tools. */
export function ownSources(
  sources: readonly ToolSource[],
  rights: Rights,
  { all, known, countOf }: OwnSources,
): readonly ToolSource[] {
  const { showsServer } = compileRights(rights)
  return sources.filter(({ id }) => countOf(known, id) > 0 || showsServer(id, countOf(all, id) > 0))
}
