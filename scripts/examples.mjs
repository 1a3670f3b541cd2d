// Runs the examples that have a `run.ts`. Each example asserts what it shows, and exits with an error if that is wrong.
// `npm run examples -- team pipe` runs only these.

import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const MAX_PARALLEL = 2
const MAX_MS = 180_000

const known = readdirSync(join(root, 'examples')).filter((name) => existsSync(join(root, 'examples', name, 'run.ts')))
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`There is no example '${unknown.join("', '")}'. The examples are ${known.join(', ')}.`)
  process.exit(1)
}

// The examples that install packages come first, because they take longest.
const queue = (wanted.length > 0 ? wanted : known).toSorted((a, b) => Number(installs(b)) - Number(installs(a)))
let failed = 0
await Promise.all(Array.from({ length: MAX_PARALLEL }, work))
console.log(failed === 0 ? 'All examples work.' : `${failed} of the examples failed.`)
process.exitCode = failed === 0 ? 0 : 1

async function work() {
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const startedAt = performance.now()
    const { code, printed } = await run(join(root, 'build', 'examples', name, 'run.js'))
    if (code !== 0) failed++
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    console.log(`--- ${name}: ${code === 0 ? 'ok' : `FAILED with ${code}`} in ${seconds} s\n${printed}`)
  }
}

function run(script) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const parts = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part))
    const timer = setTimeout(() => {
      parts.push(Buffer.from(`The example did not end within ${MAX_MS / 1_000} s.\n`))
      child.kill('SIGKILL')
      // A program that the example has started can keep the streams open. `close` comes when they are destroyed.
      for (const stream of [child.stdout, child.stderr]) stream.destroy()
    }, MAX_MS)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code: code ?? signal, printed: Buffer.concat(parts).toString() })
    })
  })
}

function installs(name) {
  return existsSync(join(root, 'examples', name, 'package.json'))
}
