// The server behind the benchmarks of calls, on the official SDK, over stdio in both eras: `node upstream.js [plain]`.

import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { answer, toolList } from './upstream-tools.ts'

// With `plain` the tools have no schemas, so that a gateway has nothing to validate.
const tools = toolList(process.argv[2] === 'plain')

serveStdio(() => {
  const server = new Server({ name: 'upstream', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', async () => ({ tools }))
  server.setRequestHandler('tools/call', async ({ params }) => answer(params.name, params.arguments))
  return server
})
