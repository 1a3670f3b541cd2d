// Keeps the memory of a gateway small. By default, V8 lets the heap of a busy program grow to a multiple of its content.

import { setFlagsFromString } from 'node:v8'

/**
 * - The part for new objects keeps its size (about 8 MB after the start). V8 would enlarge it to 32 MB (Node 24: 64 MB).
 * - The part for old objects is collected when it has grown by half. V8 waits until it has up to four times its size.
 *
 * docs/performance.md has the figures.
 */
export const SMALL_HEAP_FLAGS = ['--semi-space-growth-factor=1', '--heap-growing-percent=50']

/** Call this after the start, when the heap has the size that the gateway needs. */
export function keepHeapSmall(): void {
  for (const flag of SMALL_HEAP_FLAGS) setFlagsFromString(flag)
}
