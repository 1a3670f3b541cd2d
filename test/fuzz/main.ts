// npm run fuzz: drives the parsers and the front door with random and mutated input for a bounded time.

import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { openHttpDoor, openStdioDoor } from './front-door.ts'
import { parsers } from './parsers.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' }, only: { type: 'string' } },
})
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const doors = { stdio: openStdioDoor, http: openHttpDoor }
const names = [...Object.keys(parsers), ...Object.keys(doors)].filter(
  (name) => values.only === undefined || name === values.only,
)
const eachMs = (Number(values.seconds) * 1_000) / names.length

if (names.length === 0)
  throw new Error(
    `No target '${values.only}'. Targets: ${[...Object.keys(parsers), ...Object.keys(doors)].join(', ')}.`,
  )
console.log(`fuzz: seed ${seed}, ${values.seconds} s, targets: ${names.join(', ')}`)
let failures = 0
for (const name of names) {
  const parser = parsers[name]
  if (parser !== undefined) await fuzz(name, parser())
  else {
    const door = await doors[name as keyof typeof doors]() // the names come from the two tables
    await fuzz(name, door.property()).finally(() => door.close())
  }
}
console.log(failures === 0 ? 'no failures' : `${failures} of ${names.length} targets failed`)
process.exitCode = failures === 0 ? 0 : 1

async function fuzz(name: string, property: fc.IAsyncProperty<unknown>): Promise<void> {
  const details = await fc.check(property, {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: eachMs,
    markInterruptAsFailure: false,
  })
  console.log(`${name}: ${details.numRuns} inputs${details.failed ? ', FAILED' : ''}`)
  if (!details.failed) return
  failures++
  console.log(`  again: npm run fuzz -- --only ${name} --seed ${details.seed}`)
  console.log(`  input: ${JSON.stringify(details.counterexample).slice(0, 2_000)}`)
  console.log(
    `  ${String(details.errorInstance instanceof Error ? details.errorInstance.stack : details.errorInstance).slice(0, 1_500)}`,
  )
}
