// Uses the package as a program of a user does, with its own zod and official SDK. scripts/package/check.mjs runs it.

import assert from 'node:assert/strict'
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { createMcpServer, defineCommand, lazyTools, success } from 'toolcrib'
import { z } from 'zod'

const double = defineCommand({
  name: 'number-double',
  description: 'Doubles a number.',
  input: z.object({
    value: z
      .number()
      .int()
      .describe('A whole number')
      .refine(async (value) => value < 100),
  }),
  examples: [{ title: 'two', input: { value: 2 } }],
  handler: ({ value }) => success({ doubled: value * 2 }),
})
const server = createMcpServer({ name: 'numbers', version: '1.0.0', commands: [double] })
assert.deepEqual((await server.execute('number-double', { value: 21 })).data, { doubled: 42 })
assert.equal((await server.execute('number-double', { value: 100 })).error.code, 'VALIDATION_ERROR')
const { data } = await server.execute('afd-detail', { command: 'number-double' })
assert.match(JSON.stringify(data), /A whole number/)

const own = new McpServer({ name: 'own', version: '1.0.0' })
const greet = ({ name }) => ({ content: [{ type: 'text', text: `Hello ${name}` }] })
own.registerTool('greet', { inputSchema: z.object({ name: z.string() }) }, greet)
lazyTools(own, { strategy: 'lazy' })
const [client, transport] = InMemoryTransport.createLinkedPair()
const answers = new Map()
client.onmessage = (message) => answers.get(message.id)?.(message)
await Promise.all([client.start(), own.connect(transport)])
const request = (id, method, params) =>
  new Promise((resolve) => {
    answers.set(id, resolve)
    void client.send({ jsonrpc: '2.0', id, method, params })
  })
const clientInfo = { name: 'check', version: '1.0.0' }
await request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
const call = { name: 'afd-call', arguments: { command: 'greet', input: { name: 'Ada' } } }
const { result } = await request(2, 'tools/call', call)
assert.match(result.content[0].text, /Hello Ada/)
console.log('works')
process.exit(0)
