// V8 reads these flags while a program runs. The test fails if a version of Node ignores one of them.

import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { SMALL_HEAP_FLAGS } from './small-heap.ts'

interface HeapSizes {
  /** The size of the space for new objects at the end. */
  readonly newBytes: number
  /** The greatest size of the old objects. */
  readonly mostOldBytes: number
}

/** Sets the flags and makes objects that survive some garbage collections before they become garbage. */
const PROGRAM = `
  const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8')
  const spaceOf = (name) => getHeapSpaceStatistics().find(({ space_name }) => space_name === name)
  for (const flag of JSON.parse(process.argv[1])) setFlagsFromString(flag)
  const kept = []
  let mostOldBytes = 0
  for (let index = 0; index < 2_000_000; index++) {
    kept[index % 200_000] = { index, text: 'text ' + index }
    if (index % 50_000 === 0) mostOldBytes = Math.max(mostOldBytes, spaceOf('old_space').space_used_size)
  }
  console.log(JSON.stringify({ newBytes: spaceOf('new_space').space_size, mostOldBytes }))
`

/** In a process of its own, because the heap of this process may be large already. */
function heapWith(flags: readonly string[]): HeapSizes {
  return JSON.parse(execFileSync(process.execPath, ['-e', PROGRAM, JSON.stringify(flags)], { encoding: 'utf8' }))
}

it('the space for new objects does not grow, and old objects are collected earlier', () => {
  const usual = heapWith([])
  const small = heapWith(SMALL_HEAP_FLAGS)
  expect(small.newBytes).toBeGreaterThan(0)
  expect(small.newBytes * 4).toBeLessThanOrEqual(usual.newBytes)
  expect(small.mostOldBytes * 1.3).toBeLessThan(usual.mostOldBytes)
})
