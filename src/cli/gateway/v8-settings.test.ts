// V8 reads these flags while a program runs. The tests fail if a version of Node ignores them.

import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createNewObjectsLimit, EARLY_FLAGS, GROW_FLAG, NEW_OBJECTS_FLAG, OLD_OBJECTS_FLAG } from './v8-settings.ts'

/**
 * Makes objects that become old before they become garbage, and prints the greatest size of a space. The second flag is
 * set after a third of the time.
 */
const ALLOCATE = `
  const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8')
  const [, name, key, first, second] = process.argv
  const bytes = () => getHeapSpaceStatistics().find((space) => space.space_name === name)[key]
  if (first !== undefined) setFlagsFromString(first)
  const kept = []
  let most = 0
  for (let index = 0; index < 3_000_000; index++) {
    kept[index % 200_000] = { index, text: 'text ' + index }
    if (index === 1_000_000 && second !== undefined) setFlagsFromString(second)
    if (index % 50_000 === 0) most = Math.max(most, bytes())
  }
  console.log(most)
`

/**
 * Calls a function 700 times, with pauses for the threads that compile, and prints its status: the compiler that made
 * its code. The bits of the status differ between versions of Node, so the tests only compare them.
 */
const COMPILE = `
  const { setFlagsFromString } = require('node:v8')
  setFlagsFromString('--allow-natives-syntax')
  const [, ...flags] = process.argv
  for (const flag of flags) setFlagsFromString(flag)
  const run = new Function('a', 'let sum = 0;' + 'sum += a * 3;'.repeat(50) + 'return sum')
  for (let call = 1; call <= 700; call++) {
    run(1)
    if (call % 50 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  }
  run(1)
  console.log(new Function('f', 'return %GetOptimizationStatus(f)')(run))
`

/** In a process of its own, because the heap of this process may be large already. */
function outputOf(program: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, ['-e', program, ...args], { encoding: 'utf8' }).trim()
}

function mostBytes(space: string, ...flags: readonly string[]): number {
  return Number(outputOf(ALLOCATE, ...space.split(' '), ...flags))
}

it('with the flag for old objects, they are collected before they take as much memory as by default', () => {
  // The smallest of three: on a busy machine, the threads that collect objects can be late in a run.
  const runs = [1, 2, 3].map(() => mostBytes('old_space space_used_size', OLD_OBJECTS_FLAG))
  expect(Math.min(...runs)).toBeGreaterThan(0)
  expect(Math.min(...runs) * 1.3).toBeLessThan(mostBytes('old_space space_used_size'))
})

it('with the flag for new objects, their space stays smaller than by default', () => {
  const small = mostBytes('new_space space_size', NEW_OBJECTS_FLAG)
  expect(small).toBeGreaterThan(0)
  expect(small * 1.9).toBeLessThan(mostBytes('new_space space_size'))
})

describe('the limit of the space for new objects', () => {
  /** The flags that are set after collections of `takesMs`, one every 20 ms. */
  function flagsAfter(count: number, takesMs: number, megabytes: number): readonly string[] {
    const flags: string[] = []
    const limit = createNewObjectsLimit({
      newObjectsBytes: () => megabytes * 1024 * 1024,
      setFlag: (flag) => flags.push(flag),
    })
    for (let at = 0; at < count; at++) if (limit({ startTime: at * 20, duration: takesMs }) === 'done') break
    return flags
  }

  it('the space for new objects is not limited while it has less than 16 MB', () => {
    expect(flagsAfter(200, 10, 15)).toEqual([])
  })

  it('the space for new objects stays limited if collecting takes a tenth of the time', () => {
    expect(flagsAfter(200, 2, 16)).toEqual([NEW_OBJECTS_FLAG])
  })

  it('the limit is removed after ten collections that took a fifth of the time, not earlier', () => {
    expect(flagsAfter(10, 4, 16)).toEqual([NEW_OBJECTS_FLAG])
    expect(flagsAfter(11, 4, 16)).toEqual([NEW_OBJECTS_FLAG, GROW_FLAG])
  })
})

it('the space for new objects can grow again after it was limited', () => {
  const limited = mostBytes('new_space space_size', NEW_OBJECTS_FLAG)
  expect(mostBytes('new_space space_size', NEW_OBJECTS_FLAG, GROW_FLAG)).toBeGreaterThan(limited * 1.9)
})

it('with the flags for early compilation, a function has the code of another compiler after the same number of calls', () => {
  expect(outputOf(COMPILE, ...EARLY_FLAGS)).not.toBe(outputOf(COMPILE))
})
