// Keeps the memory of a gateway small. By default, V8 lets the heap of a busy program grow to a multiple of its content.

import { setFlagsFromString } from 'node:v8'

/**
 * V8 collects the old objects when they have grown by half. Without the flag, it waits until they take up to four times
 * the memory. docs/performance.md has the figures.
 */
export const SMALL_HEAP_FLAG = '--heap-growing-percent=50'

export function keepHeapSmall(): void {
  setFlagsFromString(SMALL_HEAP_FLAG)
}
