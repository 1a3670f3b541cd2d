// Settings of V8 for a process that serves calls for hours. docs/performance.md has their figures.

import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** V8 collects the old objects when they have grown by half. By default, it waits until they take up to four times the memory. */
export const OLD_OBJECTS_FLAG = '--heap-growing-percent=50'

/** The space for new objects keeps its size. By default, it grows up to 32 MB. */
export const NEW_OBJECTS_FLAG = '--semi-space-growth-factor=1'

/** With less space for new objects, a busy gateway spends 10 % of its CPU on collecting them. */
const NEW_OBJECTS_BYTES = 16 * 1024 * 1024

/**
 * V8 compiles a function to machine code after a third of the calls that it waits for by default, or fewer. Node 20 has
 * one limit for it; later versions have one for each compiler, and one for the time after new types were seen.
 */
export const EARLY_FLAGS: readonly string[] = process.versions.node.startsWith('20.')
  ? ['--interrupt-budget=20000']
  : [
      '--invocation-count-for-maglev=100',
      '--invocation-count-for-turbofan=500',
      '--minimum-invocations-after-ic-update=100',
    ]

/** Keeps the memory small that a busy process takes beside the objects in use. */
export function keepHeapSmall(): void {
  setFlagsFromString(OLD_OBJECTS_FLAG)
  // The space only grows in a collection, so it is enough to look after each one.
  const observer = new PerformanceObserver(() => {
    if (newObjectsBytes() < NEW_OBJECTS_BYTES) return
    setFlagsFromString(NEW_OBJECTS_FLAG)
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}

/** Makes the first thousands of calls faster. */
export function compileEarly(): void {
  for (const flag of EARLY_FLAGS) setFlagsFromString(flag)
}

function newObjectsBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
