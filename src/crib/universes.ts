// The tools that exist for a caller: the catalog without the tools outside its rights. Every view starts from this set.

import { filterSnapshot, type Snapshot } from '../catalog/tool-set.ts'
import { type Rights, rightsKey } from '../core/rights.ts'
import { existsFor } from '../rules/visibility.ts'

/** Callers with the same rights share one set. A caller without limits gets the snapshot itself. */
export type Universes = (all: Snapshot, rights: Rights | undefined) => Snapshot

interface Universe {
  readonly all: Snapshot
  readonly known: Snapshot
}

/** Sets are kept for this many different rights. Each set can have a search index. */
const MAX_UNIVERSES = 128

export function createUniverses(maxUniverses = MAX_UNIVERSES): Universes {
  /** The least recently used first. */
  const universes = new Map<string, Universe>()
  return (all, rights) => {
    if (rights === undefined) return all
    const key = rightsKey(rights)
    const before = universes.get(key)
    universes.delete(key)
    const universe = before?.all === all ? before : renew(all, rights, before)
    universes.set(key, universe)
    const [oldest] = universes.size > maxUniverses ? universes.keys() : []
    if (oldest !== undefined) universes.delete(oldest)
    return universe.known
  }
}

/** The set stays the same object if the same tools exist, so that its search index stays valid. */
function renew(all: Snapshot, rights: Rights, before: Universe | undefined): Universe {
  const known = filterSnapshot(all, (tool) => existsFor(tool, rights))
  const isSame =
    before?.known.tools.length === known.tools.length &&
    known.tools.every((tool, position) => tool === before.known.tools[position])
  return { all, known: isSame ? before.known : known }
}
