// Replaces the servers of Claude Desktop with the gateway, uses it as Claude Desktop would, and restores the servers.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { callTool, createWorkspace, exampleServer, listedNames } from '../shared/toolcrib.ts'

const CONFIG = {
  darwin: 'Library/Application Support/Claude/claude_desktop_config.json',
  win32: 'AppData/Claude/claude_desktop_config.json',
  linux: '.config/Claude/claude_desktop_config.json',
}

await using work = createWorkspace()
const file = join(
  work.home,
  process.platform in CONFIG ? CONFIG[process.platform as keyof typeof CONFIG] : CONFIG.linux,
)
const fixture = fileURLToPath(
  new URL('../../../examples/claude-desktop/home/claude_desktop_config.json', import.meta.url),
)
const servers = dirname(dirname(exampleServer('notes'))).replaceAll('\\', '/')
const original = readFileSync(fixture, 'utf8').replaceAll('EXAMPLES/', `${servers}/`)
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, original)

const found = await work.run('import', '--dry-run')
assert.match(found, /notes/)
assert.equal(readFileSync(file, 'utf8'), original, '`import --dry-run` changed the file')

await work.run('install', 'claude-desktop', '--yes')
const installed = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly globalShortcut: string
  readonly mcpServers: Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>
}
assert.deepEqual(Object.keys(installed.mcpServers), ['toolcrib'])
assert.equal(installed.globalShortcut, 'Ctrl+Space', '`install` changed another setting')

// Starts exactly the command that is now in the config.
const entry = installed.mcpServers.toolcrib
assert.ok(entry !== undefined)
const client = new Client({ name: 'claude-ai', version: '1.0.0' })
const { env, home: cwd } = work
await client.connect(
  new StdioClientTransport({ command: entry.command, args: [...entry.args], env, cwd, stderr: 'ignore' }),
)
assert.equal((await listedNames(client)).length, 5)
// `search_tools` waits for the servers for five seconds at most, which a slow machine can exceed. This command waits until
// both servers have listed their tools.
await work.run('search', 'issue')
const text = JSON.stringify(await callTool(client, 'search_tools', { query: 'create an issue' }))
assert.match(text, /issue-create/)
await client.close()

await work.run('uninstall', 'claude-desktop', '--yes')
assert.equal(readFileSync(file, 'utf8'), original, '`uninstall` does not restore the bytes of the file')
console.log('install replaced two servers with the gateway; uninstall restored every byte of the file.')
