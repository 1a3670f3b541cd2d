// Writes a call as a command line, as a JSON-RPC message and as code.

import { callParams } from '../../gateway/call-tool.ts'
import type { JsonObject } from '../../is-record.ts'

export function asCommand(id: string, args: JsonObject): string {
  return `toolcrib execute ${shellWord(id)} --args ${shellWord(JSON.stringify(args))}`
}

export function asMessage(name: string, args: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: callParams(name, args) }, null, 2)
}

export function asCode(name: string, args: JsonObject, address: string): string {
  const call = JSON.stringify({ name, arguments: args }, null, 2)
  return `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
await client.connect(
  new StreamableHTTPClientTransport(new URL(${JSON.stringify(address)}), {
    requestInit: { headers: { authorization: \`Bearer \${process.env.TOOLCRIB_TOKEN}\` } },
  }),
)
const result = await client.callTool(${call})
await client.close()
`
}

/** Quotes a word for a POSIX shell. A single quote in it becomes an escaped quote between two quoted parts. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
