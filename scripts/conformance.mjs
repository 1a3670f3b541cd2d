// Runs the official MCP conformance suite against the HTTP front door, for both protocol eras.
// The suite needs Node 22 or newer: on an older one it runs through the `node` package of npm.

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const VERSIONS = ['2025-11-25', '2026-07-28']
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const newNode = Number(process.versions.node.split('.')[0]) >= 22 ? ['node'] : ['npx', '-y', 'node@24']
const output = mkdtempSync(join(tmpdir(), 'toolcrib-conformance-'))

const server = spawn(process.execPath, ['build/test/conformance/main.js', '0'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const url = await firstLine(server.stdout)
  const codes = VERSIONS.map((version) => check(version, url))
  process.exitCode = codes.every((code) => code === 0) ? 0 : 1
} finally {
  server.kill()
  rmSync(output, { recursive: true, force: true })
}

function check(version, url) {
  const [command, ...args] = newNode
  const suite = spawnSync(
    command,
    [
      ...args,
      'node_modules/.bin/conformance',
      'server',
      ...['--url', url, '--suite', 'all', '--spec-version', version, '-o', output],
      ...['--expected-failures', `test/conformance/baseline-${version}.yml`],
    ],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  const lines = `${suite.stdout}\n${suite.stderr}`.split('\n')
  const results = lines.filter((line) => /^[✓✗] /.test(line))
  const passed = results.filter((line) => line.startsWith('✓')).length
  console.log(`\nProtocol ${version}: ${passed} scenarios pass, ${results.length - passed} are in the baseline or fail`)
  for (const line of results) console.log(`  ${line}`)
  if (suite.status !== 0) console.log(lines.slice(-40).join('\n'))
  if (results.length === 0) console.log('The suite ran nothing.')
  return results.length === 0 ? 1 : (suite.status ?? 1)
}

async function firstLine(stream) {
  for await (const line of createInterface({ input: stream })) return line
  throw new Error('The fixture server ended before it served.')
}
