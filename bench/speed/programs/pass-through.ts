// A minimal proxy for several servers on the official SDK. The benchmarks compare gateways with it. With the argument
// `modern` it calls the servers in the modern era, and without it in the legacy era, as toolcrib does.

import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Server, type Tool } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const versionNegotiation = { mode: process.argv[3] === 'modern' ? 'auto' : 'legacy' } as const
const clients = new Map<string, Client>()
const tools: Tool[] = []
for (const [name, command, ...args] of JSON.parse(process.argv[2] ?? '[]') as [string, string, ...string[]][]) {
  const client = new Client({ name: 'pass-through', version: '1.0.0' }, { versionNegotiation })
  await client.connect(new StdioClientTransport({ command, args }))
  clients.set(name, client)
  for (const tool of (await client.listTools()).tools) tools.push({ ...tool, name: `${name}__${tool.name}` })
}
serveStdio(() => {
  const server = new Server({ name: 'pass-through', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', async () => ({ tools }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const [name = '', tool = ''] = params.name.split('__')
    const client = clients.get(name)
    if (client === undefined) throw new Error(`No server ${name}`)
    return client.callTool({ name: tool, arguments: params.arguments ?? {} })
  })
  return server
})
