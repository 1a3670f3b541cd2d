// Settings of V8 for a process that serves calls for hours. docs/performance.md has their figures.

import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * V8 collects the old objects when they have grown by half. By default, it waits until they take up to four times the
 * memory.
 */
export const OLD_OBJECTS_FLAG = '--heap-growing-percent=50'

/** The space for new objects keeps its size. By default, it grows up to 32 MB. */
export const NEW_OBJECTS_FLAG = '--semi-space-growth-factor=1'

/** The space for new objects grows again: the default of V8. */
export const GROW_FLAG = '--semi-space-growth-factor=2'

/** With less space for new objects, a gateway with 32 calls in flight spends 10 % of its CPU on collecting them. */
const NEW_OBJECTS_BYTES = 16 * 1024 * 1024

/** With 256 calls in flight, collecting takes a third of the time in 16 MB, and less than a tenth in 32 MB. */
const MAX_COLLECTING_SHARE = 0.15

/** The share of the time is measured over this many collections. */
const COLLECTIONS = 10

/**
 * With these flags, V8 waits for fewer calls before it compiles a function to machine code: at most a third of the
 * default. Node 20 has one limit. Later versions have a limit for each compiler, and one for the calls after new types.
 */
export const EARLY_FLAGS: readonly string[] = process.versions.node.startsWith('20.')
  ? ['--interrupt-budget=20000']
  : [
      '--invocation-count-for-maglev=100',
      '--invocation-count-for-turbofan=500',
      '--minimum-invocations-after-ic-update=100',
    ]

/** Limits the memory that a busy process takes in addition to the objects in use. */
export function keepHeapSmall(): void {
  setFlagsFromString(OLD_OBJECTS_FLAG)
  const onCollection = createNewObjectsLimit({ newObjectsBytes, setFlag: setFlagsFromString })
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some((entry) => onCollection(entry) === 'done')) observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}

interface NewObjectsLimitOptions {
  newObjectsBytes(): number
  setFlag(flag: string): void
}

/**
 * Limits the space for new objects when it has 16 MB. Lets it grow again, for good, if collecting takes too much of the
 * time. Returns the function to call after each collection.
 */
export function createNewObjectsLimit({ newObjectsBytes, setFlag }: NewObjectsLimitOptions) {
  let isLimited = false
  let collections = 0
  let startedAt = 0
  let spentMs = 0
  return ({ startTime, duration }: Pick<PerformanceEntry, 'startTime' | 'duration'>): 'done' | undefined => {
    if (!isLimited) {
      // The space only grows in a collection, so its size is checked after each one.
      if (newObjectsBytes() < NEW_OBJECTS_BYTES) return undefined
      setFlag(NEW_OBJECTS_FLAG)
      isLimited = true
      startedAt = startTime + duration
      return undefined
    }
    spentMs += duration
    if (++collections < COLLECTIONS) return undefined
    const endedAt = startTime + duration
    if (spentMs > (endedAt - startedAt) * MAX_COLLECTING_SHARE) {
      setFlag(GROW_FLAG)
      return 'done'
    }
    collections = 0
    spentMs = 0
    startedAt = endedAt
    return undefined
  }
}

/** Makes the first thousands of calls faster. */
export function compileEarly(): void {
  for (const flag of EARLY_FLAGS) setFlagsFromString(flag)
}

function newObjectsBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
