// A gateway over three public servers, with rules that disable tools and give them tags.

import assert from 'node:assert/strict'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callTool, createWorkspace, installedServer, LONG_LIST_WAIT, listedNames } from '../shared/toolcrib.ts'

await using work = createWorkspace()
// The filesystem server compares real paths, and the temporary folder can be a link.
const notes = join(realpathSync(work.home), 'notes')
mkdirSync(notes)
writeFileSync(join(notes, 'today.md'), 'Buy coffee.\n')

const node = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [installedServer(name), ...args],
})
work.write('.toolcrib/config.json', {
  discovery: {
    servers: {
      files: node('filesystem', notes),
      memory: { ...node('memory'), env: { MEMORY_FILE_PATH: join(notes, 'memory.jsonl') } },
      everything: node('everything', 'stdio'),
    },
    toolRules: [
      { server: 'files', pattern: ['write_*', 'edit_*', 'move_*'], enabled: false },
      { server: 'memory', pattern: ['*delete*'], enabled: false },
      { pattern: ['read_*', 'search_*'], tags: ['read-only'] },
      { pattern: ['*'], enabled: true },
    ],
    ...LONG_LIST_WAIT,
  },
})

const client = await work.connect('serve')
assert.equal((await listedNames(client)).length, 5)

const servers = JSON.stringify(await callTool(client, 'list_mcp_servers'))
for (const name of ['files', 'memory', 'everything']) assert.ok(servers.includes(`"${name}"`), servers)

const found = JSON.stringify(await callTool(client, 'search_tools', { query: 'read a text file', server: 'files' }))
assert.match(found, /"read_text_file"/)
assert.match(found, /"read-only"/)
const text = await callTool(client, 'execute_tool', {
  server: 'files',
  tool: 'read_text_file',
  arguments: { path: join(notes, 'today.md') },
})
assert.match(JSON.stringify(text), /Buy coffee/)

const hidden = JSON.stringify(await callTool(client, 'search_tools', { query: 'write a file' }))
assert.doesNotMatch(hidden, /"write_file"/)
const refused = callTool(client, 'execute_tool', { server: 'files', tool: 'write_file', arguments: {} })
await assert.rejects(refused, /TOOL_DISABLED/)

const sum = await callTool(client, 'execute_tool', { tool: 'get-sum', arguments: { a: 19, b: 23 } })
assert.match(JSON.stringify(sum), /42/)

console.log('Three servers behind five tools: read_text_file is found and called, write_file is disabled by a rule.')
