// V8 reads this flag while a program runs. The test fails if a version of Node ignores it.

import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { SMALL_HEAP_FLAG } from './small-heap.ts'

/** Makes objects that become old before they become garbage, and prints the greatest size of the old objects. */
const PROGRAM = `
  const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8')
  const oldBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_used_size
  const [, flag] = process.argv
  if (flag !== undefined) setFlagsFromString(flag)
  const kept = []
  let most = 0
  for (let index = 0; index < 3_000_000; index++) {
    kept[index % 200_000] = { index, text: 'text ' + index }
    if (index % 50_000 === 0) most = Math.max(most, oldBytes())
  }
  console.log(most)
`

/** In a process of its own, because the heap of this process may be large already. */
function mostOldBytes(...flags: readonly string[]): number {
  return Number(execFileSync(process.execPath, ['-e', PROGRAM, ...flags], { encoding: 'utf8' }))
}

it('old objects are collected before they take much more memory than those in use', () => {
  const small = mostOldBytes(SMALL_HEAP_FLAG)
  expect(small).toBeGreaterThan(0)
  expect(small * 1.3).toBeLessThan(mostOldBytes())
})
