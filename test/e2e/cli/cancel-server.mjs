// `node cancel-server.mjs FILE` is a server with one tool, which never answers. Cancelling a call adds a line to FILE.

import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [file] = process.argv.slice(2)
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answers = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'slow', version: '1.0.0' },
    },
    'tools/list': { tools: [{ name: 'wait', description: 'Waits.', inputSchema: { type: 'object' } }] },
  }
  if (method === 'notifications/cancelled') appendFileSync(file, 'cancelled\n')
  if (method === 'tools/call') {
    send({
      method: 'notifications/progress',
      params: { progressToken: params._meta?.progressToken, progress: 1, total: 4, message: 'begun' },
    })
  } else if (id !== undefined) {
    const result = answers[method]
    send(result === undefined ? { id, error: { code: -32601, message: 'no' } } : { id, result })
  }
})
