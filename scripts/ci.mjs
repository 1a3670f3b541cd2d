// Runs every check, whatever the others say, and ends with the count that CI reads.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const scratch = mkdtempSync(join(tmpdir(), 'toolcrib-ci-'))
const node24 = ['npx', '-y', 'node@24']
let passed = 0
let failed = 0

// The command of the README first: it installs and builds, and lints, type-checks and tests on this Node.
suite('npm test', 'npm', 'test', '--')
// Without test/e2e: what differs between versions of Node lies under it, and twice all of it takes too long.
suite('tests on Node 24', ...node24, 'node_modules/vitest/vitest.mjs', 'run', 'src/')
check('conformance, both protocol versions', 'npm', 'run', '--silent', 'conformance')
check('bench:tokens', 'npm', 'run', '--silent', 'bench:tokens')
check('bench:detail', 'npm', 'run', '--silent', 'bench:detail')
check('bench:details', 'npm', 'run', '--silent', 'bench:details')
check('bench:gateway', 'npm', 'run', '--silent', 'bench:gateway')
check('bench:search', 'npm', 'run', '--silent', 'bench:search', '--', '--short')
check('bench:startup', 'npm', 'run', '--silent', 'bench:startup', '--', '3')
check('package', 'npm', 'run', '--silent', 'check:package')

rmSync(scratch, { recursive: true, force: true })
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** A run of vitest, whose tests are counted one by one. */
function suite(name, ...command) {
  const file = join(scratch, `${name.replaceAll(' ', '-')}.json`)
  const status = run(name, ...command, '--reporter=default', '--reporter=json', `--outputFile=${file}`)
  const counts = read(file)
  passed += counts.passed
  failed += counts.failed
  // What fails outside a test (lint, types, a file that does not load) is a failure too.
  if (status !== 0 && counts.failed === 0) failed++
}

function check(name, ...command) {
  if (run(name, ...command) === 0) passed++
  else failed++
}

function run(name, command, ...args) {
  const startedAt = Date.now()
  console.log(`\n--- ${name}`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  console.log(`--- ${name}: ${status === 0 ? 'ok' : 'FAILED'} in ${Math.round((Date.now() - startedAt) / 1000)} s`)
  return status
}

function read(file) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  } catch {
    return { passed: 0, failed: 0 }
  }
}
