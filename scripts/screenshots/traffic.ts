// Calls tools of the gateway, so that the pictures show calls, errors and latencies.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ShownGateway } from './gateway.ts'

const CALLS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['search_tools', { query: 'create an issue' }],
  ['execute_tool', { tool: 'tracker:issue-list', arguments: {} }],
  ['execute_tool', { tool: 'everything:get-sum', arguments: { a: 20, b: 22 } }],
  ['execute_tool', { tool: 'everything:echo', arguments: { message: 'hello' } }],
  ['execute_tool', { tool: 'shop:order-list', arguments: {} }],
  ['execute_tool', { tool: 'everything:get-sum', arguments: { a: 'twenty' } }],
  ['execute_tool', { tool: 'notes:list-notes', arguments: {} }],
  ['execute_tool', { tool: 'files:list_directory', arguments: { path: '/no/such/folder' } }],
  ['execute_tool', { tool: 'tracker:issue-delete', arguments: { id: 1 } }],
  ['execute_tool', { tool: 'memory:read_graph', arguments: {} }],
]
const ROUNDS = 3

export async function makeTraffic({ address, token }: ShownGateway): Promise<void> {
  const client = new Client({ name: 'screenshots', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL('mcp', address), { requestInit: { headers } }))
  for (let round = 0; round < ROUNDS; round++) {
    await client.listTools()
    for (const [name, args] of CALLS) await client.callTool({ name, arguments: args })
  }
  await client.close()
}

/** Waits until the tools of these servers are known and counted. */
export async function untilListed({ address, token }: ShownGateway, servers: readonly string[]): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  for (;;) {
    const response = await fetch(new URL('api/tools', address), { headers })
    const { tools, isCounting } = (await response.json()) as ToolsAnswer // the API of the same version
    const known = new Set(tools.map(({ server }) => server))
    if (!isCounting && servers.every((name) => known.has(name))) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

interface ToolsAnswer {
  readonly isCounting: boolean
  readonly tools: readonly { readonly server: string }[]
}
