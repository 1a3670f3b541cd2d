// A command server and a client of it in this process, for benchmarks that count what a client is sent.

import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { createCrib } from '../src/crib/crib.ts'
import { createActivity } from '../src/front/activity.ts'
import { serveConnection } from '../src/front/connection.ts'
import { createCommandSet } from '../src/sources/commands/command-set.ts'
import { createCommandSource } from '../src/sources/commands/command-source.ts'
import type { Command } from '../src/sources/commands/define.ts'

export function cribOf(commands: readonly Command[], strategy: string) {
  return createCrib({
    name: 'bench',
    version: '1.0.0',
    sources: [createCommandSource({ id: 'commands', commands: createCommandSet(commands) })],
    strategy,
  })
}

export async function withClient<T>(
  commands: readonly Command[],
  strategy: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const ignore = () => {}
  const connection = serveConnection({
    crib: cribOf(commands, strategy),
    activity: createActivity(),
    onToolCall: ignore,
    onError: ignore,
    transport: far,
    kind: 'memory',
  })
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(near)
  try {
    return await use(client)
  } finally {
    await client.close()
    await connection.close()
  }
}
