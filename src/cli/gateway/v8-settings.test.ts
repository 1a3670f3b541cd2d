// V8 reads these flags while a program runs. The tests fail if a version of Node ignores them.

import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { EARLY_FLAGS, NEW_OBJECTS_FLAG, OLD_OBJECTS_FLAG } from './v8-settings.ts'

/** Makes objects that become old before they become garbage, and prints the greatest size of a space. */
const ALLOCATE = `
  const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8')
  const [, name, key, flag] = process.argv
  const bytes = () => getHeapSpaceStatistics().find((space) => space.space_name === name)[key]
  if (flag !== undefined) setFlagsFromString(flag)
  const kept = []
  let most = 0
  for (let index = 0; index < 3_000_000; index++) {
    kept[index % 200_000] = { index, text: 'text ' + index }
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

it('old objects are collected before they take much more memory than those in use', () => {
  const small = mostBytes('old_space space_used_size', OLD_OBJECTS_FLAG)
  expect(small).toBeGreaterThan(0)
  expect(small * 1.3).toBeLessThan(mostBytes('old_space space_used_size'))
})

it('the space for new objects stops growing', () => {
  const small = mostBytes('new_space space_size', NEW_OBJECTS_FLAG)
  expect(small).toBeGreaterThan(0)
  expect(small * 1.9).toBeLessThan(mostBytes('new_space space_size'))
})

it('after the same number of calls, a function has the code of another compiler', () => {
  expect(outputOf(COMPILE, ...EARLY_FLAGS)).not.toBe(outputOf(COMPILE))
})
