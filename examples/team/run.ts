// One gateway over HTTP for several people. Each token sees only the tools that its rights allow.

import assert from 'node:assert/strict'
import type { Client } from '@modelcontextprotocol/client'
import { callTool, configWith, connectTo, createWorkspace } from '../shared/toolcrib.ts'

await using work = createWorkspace()
work.write('.toolcrib/config.json', configWith('notes', 'shop'))

const addToken = async (...words: readonly string[]) => (await work.run('token', 'add', ...words)).trim()
const tokens = {
  ada: await addToken('ada'),
  bob: await addToken('bob', '--servers', 'shop', '--read-only'),
  bot: await addToken('bot', '--tools', 'shop:order-*', '!*cancel*', '--expires', '90d'),
}
const address = await work.serveHttp()
const [ada, bob, bot] = await Promise.all([
  connectTo(address, tokens.ada),
  connectTo(address, tokens.bob),
  connectTo(address, tokens.bot),
])

assert.deepEqual(await serversOf(ada), ['notes', 'shop'])
assert.deepEqual(await serversOf(bob), ['shop'])

const order = { server: 'shop', tool: 'order-get', arguments: { orderId: 'ord-2' } }
for (const client of [ada, bob, bot]) {
  assert.match(JSON.stringify(await callTool(client, 'execute_tool', order)), /ord-2/)
}
// For bob and the bot, these tools do not exist: the answer is that of a wrong name.
const cancel = { server: 'shop', tool: 'order-cancel', arguments: { orderId: 'ord-2' } }
await assert.rejects(callTool(bob, 'execute_tool', cancel), /TOOL_NOT_FOUND/)
await assert.rejects(callTool(bot, 'execute_tool', cancel), /TOOL_NOT_FOUND/)
await assert.rejects(
  callTool(bob, 'execute_tool', { server: 'notes', tool: 'read-note', arguments: {} }),
  /SERVER_NOT_FOUND/,
)

await assert.rejects(connectTo(address, 'not-a-token-of-this-gateway'), /401|Unauthorized/i)
await work.run('token', 'revoke', 'bob')
await until(
  async () => (await fetch(address, { method: 'POST', headers: bearer(tokens.bob), body: '{}' })).status === 401,
)

await Promise.all([ada.close(), bot.close(), bob.close().catch(() => undefined)])
console.log('ada sees two servers; bob reads in one until his token is revoked; the bot cannot cancel orders.')

async function serversOf(client: Client): Promise<readonly string[]> {
  const text = JSON.stringify(await callTool(client, 'list_mcp_servers'))
  return [...text.matchAll(/"name":"([^"]+)"/g)].flatMap(([, name]) => name ?? []).toSorted()
}

function bearer(token: string): Record<string, string> {
  const accept = 'application/json, text/event-stream'
  return { Authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await isTrue())) assert.ok(Date.now() < deadline, 'The token of bob still works.')
}
