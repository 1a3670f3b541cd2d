// Keeps the memory of a gateway small. By default, V8 lets the heap of a busy program grow to a multiple of its content.

import { setFlagsFromString } from 'node:v8'

/**
 * Call this after the start, when the heap has the size that the gateway needs.
 *
 * - The part for new objects keeps its size (about 8 MB). V8 would enlarge it to 32 MB (Node 24: 64 MB).
 * - The part for old objects is collected when it has grown by half. V8 waits until it has up to four times its size.
 *
 * docs/performance.md has the figures.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=50')
}
