// A server with its own strategy, ranker, source and store.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMcpServer, defineCommand, success } from 'toolcrib'
import { z } from 'zod'
import { callTool, connectTo, listedNames } from '../shared/toolcrib.ts'
import { sharedWords } from './ranker.ts'
import { clock } from './source.ts'
import { createJsonStore } from './store.ts'
import { findAndRun } from './strategy.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-example-'))
const file = join(folder, 'usage.json')
const ring = defineCommand({
  name: 'bell-ring',
  description: 'Ring the bell.',
  input: z.object({}),
  handler: () => success('ding'),
})
const server = createMcpServer({
  name: 'desk',
  version: '1.0.0',
  commands: [ring],
  sources: [clock],
  toolStrategy: findAndRun,
  strategyOptions: { limit: 1 },
  ranker: sharedWords,
  store: createJsonStore(file),
  transport: 'http',
  port: 0,
})
await server.start()
const client = await connectTo(`${server.getUrl()}/mcp`)

assert.deepEqual(await listedNames(client), ['find_tools', 'run_tool'])
const found = JSON.stringify(await callTool(client, 'find_tools', { query: 'current time please' }))
assert.match(found, /clock__now/)
const time = JSON.stringify(await callTool(client, 'run_tool', { tool: 'clock__now' }))
assert.match(time, /UTC/)
assert.match(JSON.stringify(await callTool(client, 'run_tool', { tool: 'bell-ring' })), /ding/)

await client.close()
await server.stop()
assert.match(readFileSync(file, 'utf8'), /clock:now/)
rmSync(folder, { recursive: true })
console.log('The strategy lists two tools, the ranker finds the clock of the source, and the store counts the calls.')
