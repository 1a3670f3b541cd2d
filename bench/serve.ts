// Creates a server of commands for a benchmark, and optionally a client of it in the same process.

import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { createCommandServer } from '../src/front/command-server.ts'
import { serveConnection } from '../src/front/connection.ts'
import type { Command } from '../src/sources/commands/define.ts'

export function serverOf(commands: readonly Command[], toolStrategy: string) {
  return createCommandServer({ name: 'bench', version: '1.0.0', commands, toolStrategy })
}

export async function withClient<T>(
  commands: readonly Command[],
  strategy: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const front = serverOf(commands, strategy).createFront()
  const connection = serveConnection({ ...front, transport: far, kind: 'memory' })
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(near)
  try {
    return await use(client)
  } finally {
    await client.close()
    await connection.close()
  }
}
