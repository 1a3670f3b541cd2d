// Runs every check, even after a failure, and ends with the count that CI reads.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const scratch = mkdtempSync(join(tmpdir(), 'toolcrib-ci-'))
const MAX_MESSAGE = 2_000
const node24 = ['npx', '-y', 'node@24']
let passed = 0
let failed = 0
/** Failed and flaky checks. They are printed again at the end, because a long log is read from its end. */
const remarks = []

// `npm test` comes first: it installs, builds, lints, checks types, and runs the main tests on this version of Node.
suite('npm test', 'npm', 'test', '--')
suite('setup', 'npm', 'run', '--silent', 'test:setup', '--')
suite('matrix', 'npm', 'run', '--silent', 'test:matrix', '--')
install('redis-server', 'redis-server')
install('nginx', 'nginx')
install('chromium', 'chromium')
// Tests that need Redis, nginx or chromium fail here instead of being skipped.
process.env.TOOLCRIB_REQUIRE_SERVICES = '1'
suite('teams', 'npm', 'run', '--silent', 'test:team', '--')
suite('faults', 'npm', 'run', '--silent', 'test:faults', '--')
suite('inspector', 'npm', 'run', '--silent', 'test:inspector', '--')
// The unit tests run on Node 24 too, and so does the test of memory, which depends on the version of Node. Running all of
// test/e2e twice takes too long.
const onNode24 = [...node24, 'node_modules/vitest/vitest.mjs', 'run']
suite('tests on Node 24', ...onNode24, 'src/', 'test/e2e/gateway/message-memory')
check('fuzz', 'npm', 'run', '--silent', 'fuzz', '--', '--seconds', '20')
check('chaos', 'npm', 'run', '--silent', 'chaos', '--', '--short')
check('conformance, both protocol versions', 'npm', 'run', '--silent', 'conformance')
check('bench', 'npm', 'run', '--silent', 'bench', '--', '--short')
check('bench:tokens', 'npm', 'run', '--silent', 'bench:tokens')
check('bench:detail', 'npm', 'run', '--silent', 'bench:detail')
check('bench:details', 'npm', 'run', '--silent', 'bench:details', '--', '--short')
check('bench:gateway', 'npm', 'run', '--silent', 'bench:gateway')
check('bench:search', 'npm', 'run', '--silent', 'bench:search', '--', '--short')
check('bench:startup', 'npm', 'run', '--silent', 'bench:startup', '--', '3')
check('bench:cli', 'npm', 'run', '--silent', 'bench:cli', '--', '9')
counted('public servers', 'npm', 'run', '--silent', 'test:wild', '--', '--short')
install('wine', 'wine', 'wine64')
check('Windows, under wine', 'npm', 'run', '--silent', 'test:windows')
check('examples', 'npm', 'run', '--silent', 'examples')
check('package', 'npm', 'run', '--silent', 'check:package')

rmSync(scratch, { recursive: true, force: true })
for (const remark of remarks) console.log(`\n${remark}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/**
 * Runs vitest and counts each test. A test that fails runs once more, because a busy machine can cause a timeout.
 * A test that passes only the second time is reported.
 */
function suite(name, ...command) {
  counted(name, ...command, '--retry=1', '--reporter=default', '--reporter=json')
}

/** Runs a command that writes its counts to a file, in the form of vitest's JSON reporter. */
function counted(name, ...command) {
  const file = join(scratch, `${name.replaceAll(' ', '-')}.json`)
  const status = run(name, ...command, `--outputFile=${file}`)
  const report = read(file)
  passed += report.numPassedTests
  failed += report.numFailedTests
  remarks.push(...remarksOf(report).map((test) => `${test} (${name})`))
  // An error outside a test (lint, types, a file that does not load) also counts as a failure.
  if (status === 0 || report.numFailedTests > 0) return
  failed++
  remarks.push(`FAILED outside a test: ${name}`)
}

function remarksOf({ testResults }) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ failureMessages }) => failureMessages.length > 0)
      .map(({ status, fullName, failureMessages }) => {
        const kind = status === 'failed' ? 'FAILED' : 'FLAKY (passed the second time)'
        return `${kind}: ${relative(root, name)}: ${fullName}\n${failureMessages.join('\n').slice(0, MAX_MESSAGE)}`
      }),
  )
}

function check(name, ...command) {
  if (run(name, ...command) === 0) {
    passed++
    return
  }
  failed++
  remarks.push(`FAILED: ${name}`)
}

/** Installs Debian packages unless the program is on the PATH. If this fails, the check that needs the program fails. */
function install(program, ...packages) {
  if (spawnSync(program, ['--version']).error === undefined) return
  run('apt-get update', 'apt-get', 'update', '-qq')
  run(program, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages)
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
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] }
  }
}
