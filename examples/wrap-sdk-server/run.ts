// A server on the official SDK with thirty tools. `lazyTools` replaces its long list of tools with five tools.

import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { lazyTools } from 'toolcrib'
import { z } from 'zod'
import { callTool, listedNames } from '../shared/toolcrib.ts'

const UNITS = { metre: 1, foot: 0.3048, mile: 1_609.344, yard: 0.9144, inch: 0.0254, fathom: 1.8288 }
const IRREGULAR_PLURALS: Readonly<Record<string, string>> = { foot: 'feet', inch: 'inches' }

const before = await connectClient(createConverter())
assert.equal((await listedNames(before)).length, 30)

const after = await connectClient(lazyTools(createConverter(), { strategy: 'gateway' }))
assert.deepEqual(await listedNames(after), [
  'list_mcp_servers',
  'search_tools',
  'list_tools',
  'get_tool_details',
  'execute_tool',
])

const found = JSON.stringify(await callTool(after, 'search_tools', { query: 'convert miles to metres' }))
assert.match(found, /mile_to_metre/)
const answer = await callTool(after, 'execute_tool', { tool: 'mile_to_metre', arguments: { value: 2 } })
assert.equal(answer, '2 mile = 3218.688 metre')

console.log('30 tools before, 5 tools after; mile_to_metre still answers:', answer)
await Promise.all([before.close(), after.close()])

function createConverter(): McpServer {
  const server = new McpServer({ name: 'converter', version: '1.0.0' })
  for (const [from, metresOfFrom] of Object.entries(UNITS)) {
    for (const [to, metresOfTo] of Object.entries(UNITS)) {
      if (from === to) continue
      const description = `Convert a length in ${pluralOf(from)} to ${pluralOf(to)}.`
      const inputSchema = z.object({ value: z.number().describe(`The length in ${pluralOf(from)}`) })
      server.registerTool(`${from}_to_${to}`, { description, inputSchema }, ({ value }) => ({
        content: [{ type: 'text', text: `${value} ${from} = ${(value * metresOfFrom) / metresOfTo} ${to}` }],
      }))
    }
  }
  return server
}

function pluralOf(unit: string): string {
  return IRREGULAR_PLURALS[unit] ?? `${unit}s`
}

async function connectClient(server: McpServer): Promise<Client> {
  const client = new Client({ name: 'example', version: '1.0.0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  return client
}
