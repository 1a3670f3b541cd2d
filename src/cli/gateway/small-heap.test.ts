// V8 reads these flags while the program runs. The test fails if a version of Node ignores one of them.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { afterEach, describe, expect, it } from 'vitest'
import { keepHeapSmall } from './small-heap.ts'

function spaceOf(name: string) {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === name)
  return { size: space?.space_size ?? 0, used: space?.space_used_size ?? 0 }
}

/** Each object survives some collections and becomes garbage later. Returns the greatest size of the old objects. */
function makeGarbage(): number {
  const kept: unknown[] = []
  let most = 0
  for (let index = 0; index < 3_000_000; index++) {
    kept[index % 200_000] = { index, text: `text ${index}` }
    if (index % 50_000 === 0) most = Math.max(most, spaceOf('old_space').used)
  }
  return most
}

function resetFlags(): void {
  // The defaults of V8. Other tests can run in the same process.
  setFlagsFromString('--semi-space-growth-factor=2')
  setFlagsFromString('--heap-growing-percent=0')
}

afterEach(resetFlags)

describe('a small heap', () => {
  it('keeps the space for new objects at its size, and collects old objects earlier', () => {
    const present = spaceOf('old_space').used
    keepHeapSmall()
    const before = spaceOf('new_space').size
    const mostSmall = makeGarbage() - present
    expect(before).toBeGreaterThan(0)
    // V8 can make the space smaller.
    expect(spaceOf('new_space').size).toBeLessThanOrEqual(before)
    resetFlags()
    expect(makeGarbage() - present).toBeGreaterThan(mostSmall * 1.2)
    expect(spaceOf('new_space').size).toBeGreaterThan(before)
  })
})
