// doctor with a server that has listed its tools before, and now starts without listing them.

import { expect, it, onTestFinished, vi } from 'vitest'
import { createHome, run } from './harness.ts'

vi.setConfig({ testTimeout: 90_000 })

/** A server. The content of the file that its argument names decides how it answers `tools/list`. */
const SERVER = `
const { readFileSync } = require('node:fs')
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const mode = readFileSync(process.argv[2], 'utf8')
  if (id === undefined) return
  if (method === 'initialize') {
    const { protocolVersion } = params
    return send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } })
  }
  if (method !== 'tools/list') return send({ id, error: { code: -32601, message: 'Method not found' } })
  if (mode === 'list') return send({ id, result: { tools: [{ name: 't', inputSchema: { type: 'object' } }] } })
  if (mode === 'refuse') return send({ id, error: { code: -32000, message: 'the database is locked' } })
  if (mode === 'exit') {
    console.error('out of memory')
    process.exit(1)
  }
})
`

it.each([
  ['refuse', /: .*the database is locked$/, 'Ask the author of the server.'],
  ['exit', /: .+$/, 'Read its output below.'],
])('doctor gives the reason why a started server did not list its tools (%s)', async (mode, reason, todo) => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const args = [home.write('server.cjs', SERVER), home.write('mode', 'list')]
  const unlisted = { command: process.execPath, args }
  home.write('.config/toolcrib/config.json', { discovery: { servers: { unlisted } } })
  expect((await run(home, ['doctor'])).code).toBe(0)
  home.write('mode', mode)
  const { code, stdout } = await run(home, ['doctor', '--json'])
  expect(code).toBe(3)
  const { faults } = JSON.parse(stdout).servers[0]
  expect(faults).toEqual([{ what: expect.stringMatching(/^it started, but did not list its tools/), todo }])
  expect(faults[0].what).toMatch(reason)
})
