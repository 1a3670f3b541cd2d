// Runs the official MCP conformance suite for both protocol eras: against a command server, against a server on the
// plain SDK, and against that same server wrapped. A scenario that passes on the plain server must also pass wrapped.
// The suite needs Node 22 or newer. On an older version it runs with the `node` package of npm.

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const VERSIONS = ['2025-11-25', '2026-07-28']
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const newNode = Number(process.versions.node.split('.')[0]) >= 22 ? ['node'] : ['npx', '-y', 'node@24']
const scratch = mkdtempSync(join(tmpdir(), 'toolcrib-conformance-'))
const PLAIN = 'build/test/conformance/sdk/main.js'

const SERVERS = {
  commands: { args: ['build/test/conformance/main.js', '0'], baseline: 'baseline' },
  plain: { args: [PLAIN, '0'], baseline: 'sdk/baseline' },
  wrapped: {
    args: [
      ...['dist/cli/main.js', 'wrap', '--strategy', 'individual', '--http', '--port', '0', '--no-auth'],
      ...['--', process.execPath, PLAIN, 'stdio'],
    ],
    baseline: 'sdk/baseline',
  },
}

const wanted = process.argv.slice(2)
let isGood = true
try {
  const results = new Map()
  for (const name of Object.keys(SERVERS)) {
    if (wanted.length === 0 || wanted.includes(name)) results.set(name, await run(name))
  }
  isGood = [...results.values()].every(({ isExpected }) => isExpected) && passesWhenWrapped(results)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = isGood ? 0 : 1

/** Starts one server and runs every scenario of both protocol versions against it. */
async function run(name) {
  const { args, baseline } = SERVERS[name]
  const server = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XDG_STATE_HOME: join(scratch, 'state'), XDG_CACHE_HOME: join(scratch, 'cache') },
  })
  try {
    const url = await addressIn(server.stdout)
    const checks = VERSIONS.map((version) => check(name, version, url, baseline))
    return {
      isExpected: checks.every(({ isExpected }) => isExpected),
      passed: new Map(checks.flatMap(({ passed }) => passed)),
    }
  } finally {
    server.kill()
  }
}

function check(name, version, url, baseline) {
  const [command, ...args] = newNode
  const suite = spawnSync(
    command,
    [
      ...args,
      'node_modules/.bin/conformance',
      'server',
      ...['--url', url, '--suite', 'all', '--spec-version', version, '-o', scratch],
      ...['--expected-failures', `test/conformance/${baseline}-${version}.yml`],
    ],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  const lines = `${suite.stdout}\n${suite.stderr}`.split('\n')
  const results = lines.filter((line) => /^[✓✗] /.test(line))
  const passed = results.map((line) => [`${version} ${scenarioIn(line)}`, line.startsWith('✓')])
  const count = passed.filter(([, isPassed]) => isPassed).length
  console.log(`\n${name}, protocol ${version}: ${count} of ${results.length} scenarios pass`)
  for (const line of results) console.log(`  ${line}`)
  if (suite.status !== 0) console.log(lines.slice(-40).join('\n'))
  if (results.length === 0) console.log('The suite ran no scenario.')
  return { isExpected: results.length > 0 && suite.status === 0, passed }
}

/** Checks that the wrapped server passes every scenario that the plain server passes. */
function passesWhenWrapped(results) {
  const [plain, wrapped] = [results.get('plain'), results.get('wrapped')]
  if (plain === undefined || wrapped === undefined) return true
  const lost = [...plain.passed].filter(([scenario, isPassed]) => isPassed && wrapped.passed.get(scenario) !== true)
  for (const [scenario] of lost) console.log(`Fails only when wrapped: ${scenario}`)
  if (lost.length === 0) console.log('\nThe wrapped server passes every scenario that the plain one passes.')
  return lost.length === 0
}

function scenarioIn(line) {
  return line
    .replace(/^[✓✗] /, '')
    .split(':')[0]
    .trim()
}

async function addressIn(stream) {
  for await (const line of createInterface({ input: stream })) {
    const address = /http:\/\/\S+/.exec(line)?.[0]
    if (address !== undefined) return address
  }
  throw new Error('The server ended before it listened.')
}
