// A command of this process through `afd-call` against a tool registered with the SDK's own McpServer.

import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { serveConnection } from '../../../src/front/connection.ts'
import { serverOf } from '../../serve.ts'
import type { BenchGroup } from '../group.ts'
import { type Load, measure, warmUp } from '../load.ts'
import { commands, sdkServer } from '../one-command.ts'
import { connect, programFile, type Target, textOf } from '../targets.ts'

const WAYS = ['memory', 'stdio'] as const

function sdkTarget(client: Client, way: string): Target {
  return {
    name: `sdk-${way}`,
    call: (_server, _tool, args) => textOf(client, 'text-echo', args),
    close: () => client.close(),
  }
}

function cribTarget(client: Client, way: string): Target {
  return {
    name: `toolcrib-${way}`,
    async call(_server, _tool, input) {
      const sent = String(input.text)
      const answered = await textOf(client, 'afd-call', { command: 'text-echo', input })
      // A command answers with its result as JSON, which contains the text.
      return answered.includes(sent) ? sent : answered
    },
    close: () => client.close(),
  }
}

async function inMemory(serve: (far: InMemoryTransport) => unknown): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  await serve(far)
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(near)
  return client
}

export const command: BenchGroup = {
  name: 'command',
  rows: WAYS.map((way) => ({
    id: `command-${way}-vs-sdk`,
    what: `a command through afd-call, over ${way}, p50 against the SDK's own registered tool`,
    unit: 'ms',
    ours: `toolcrib-${way}.1.p50`,
    base: `sdk-${way}.1.p50`,
    as: 'ratio',
  })),
  async round(isShort) {
    const front = serverOf(commands, 'lazy').createFront()
    const over = async (program: string) => (await connect({ args: [programFile(program)] })).client
    const pairs = [
      [
        sdkTarget(await inMemory((far) => sdkServer().connect(far)), 'memory'),
        cribTarget(await inMemory((transport) => serveConnection({ ...front, transport, kind: 'memory' })), 'memory'),
      ],
      [sdkTarget(await over('sdk-command'), 'stdio'), cribTarget(await over('crib-command'), 'stdio')],
    ]
    const load: Load = { atOnce: 1, block: 100, blocks: isShort ? 4 : 20 }
    try {
      const figures = {}
      for (const pair of pairs) {
        await warmUp(pair, isShort ? 300 : 1_000)
        Object.assign(figures, await measure(pair, load))
      }
      return figures
    } finally {
      for (const target of pairs.flat()) await target.close()
    }
  },
}
