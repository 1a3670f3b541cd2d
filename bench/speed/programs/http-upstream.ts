// A server on the official SDK with the tools of the benchmarks, over Streamable HTTP in both eras. Prints its address.

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { answer, toolList } from './upstream-tools.ts'

const tools = toolList(false)

function make(): Server {
  const server = new Server({ name: 'upstream', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', async () => ({ tools }))
  server.setRequestHandler('tools/call', async ({ params }) => answer(params.name, params.arguments))
  return server
}

const modern = toNodeHandler(createMcpHandler(make, { legacy: 'reject' }))
const sessions = new Map<string, NodeStreamableHTTPServerTransport>()

async function begin(): Promise<NodeStreamableHTTPServerTransport> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await make().connect(transport)
  return transport
}

// The path states the era, so that no time is spent on its detection.
const http = createServer(async (request, response) => {
  const { method = 'GET', url = '/' } = request
  if (url === '/modern') return modern(Object.assign(request, { method, url }), response)
  const id = request.headers['mcp-session-id']
  const known = typeof id === 'string' ? sessions.get(id) : undefined
  await (known ?? (await begin())).handleRequest(request, response)
})
http.listen(0, '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo // `listen` was called with a port
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
process.stdin.resume().on('end', () => process.exit(0))
