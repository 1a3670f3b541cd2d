// Works through many items in short slices, so that other requests are answered meanwhile.

import { setImmediate as nextTurn } from 'node:timers/promises'

const SLICE_MS = 3

export async function inSlices<T>(items: Iterable<T>, work: (item: T) => unknown): Promise<void> {
  let sliceStartedAt = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - sliceStartedAt < SLICE_MS) continue
    await nextTurn()
    sliceStartedAt = performance.now()
  }
}
