// The tools that exist for a caller: not hidden and within its rights. Every view starts from this set.

import { filterSnapshot, type Snapshot } from '../catalog/tool-set.ts'
import { setNewest } from '../core/collections.ts'
import { type Rights, rightsKey } from '../core/rights.ts'
import { existsFor } from '../rules/visibility.ts'

/** Callers with the same rights share one set. If nothing is hidden or limited, the set is the snapshot itself. */
export type AllowedTools = (all: Snapshot, rights: Rights | undefined) => Snapshot

interface AllowedSet {
  readonly all: Snapshot
  readonly allowed: Snapshot
}

/** Sets are kept for this many different rights. Each set can have a search index. */
const MAX_SETS = 128

export function createAllowedTools(maxSets = MAX_SETS): AllowedTools {
  /** In the order of their last use. */
  const sets = new Map<string, AllowedSet>()
  /** The set of callers without limits. It is kept outside of `sets`, because most calls need it. */
  let unlimited: AllowedSet | undefined
  return (all, rights) => {
    if (rights === undefined) {
      if (unlimited?.all !== all) unlimited = renew(all, rights, unlimited)
      return unlimited.allowed
    }
    const key = rightsKey(rights)
    const before = sets.get(key)
    const current = before?.all === all ? before : renew(all, rights, before)
    setNewest(sets, key, current, maxSets)
    return current.allowed
  }
}

/** The set stays the same object if the same tools exist, so that its search index stays valid. */
function renew(all: Snapshot, rights: Rights | undefined, before: AllowedSet | undefined): AllowedSet {
  const allowed = filterSnapshot(all, (tool) => existsFor(tool, rights))
  if (rights === undefined && allowed.tools.length === all.tools.length) return { all, allowed: all }
  const isSame =
    before?.allowed.tools.length === allowed.tools.length &&
    allowed.tools.every((tool, position) => tool === before.allowed.tools[position])
  return { all, allowed: isSame ? before.allowed : allowed }
}
