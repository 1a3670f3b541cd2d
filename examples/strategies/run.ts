// One command server under each strategy. The same task is done under all of them.

import assert from 'node:assert/strict'
import type { Client } from '@modelcontextprotocol/client'
import { createMcpServer, type StrategyName } from 'toolcrib'
import { callTool, connectTo } from '../shared/toolcrib.ts'
import { createWorkshopCommands } from '../workshop/commands.ts'

const ORDER = { bikeId: 'bik-5', problem: 'Brakes feel soft' }

interface Sample {
  readonly strategy: StrategyName
  readonly options?: Readonly<Record<string, unknown>>
  /** Opens an order as a model would. A command that is not listed is first found or enabled. */
  openOrder(client: Client): Promise<unknown>
}

const samples: readonly Sample[] = [
  { strategy: 'individual', openOrder: (client) => callTool(client, 'order-create', ORDER) },
  { strategy: 'grouped', openOrder: (client) => callTool(client, 'order', { action: 'create', params: ORDER }) },
  {
    strategy: 'lazy',
    async openOrder(client) {
      assertMentions(await callTool(client, 'afd-discover', { search: 'order create' }), 'order-create')
      return callTool(client, 'afd-call', { command: 'order-create', input: ORDER })
    },
  },
  {
    strategy: 'gateway',
    async openOrder(client) {
      assertMentions(await callTool(client, 'search_tools', { query: 'open a repair order' }), 'order-create')
      return callTool(client, 'execute_tool', { tool: 'order-create', arguments: ORDER })
    },
  },
  {
    strategy: 'manage',
    async openOrder(client) {
      await callTool(client, 'manage_tools', { action: 'enable', tools: ['order-create'] })
      return callTool(client, 'order-create', ORDER)
    },
  },
  {
    strategy: 'categories',
    options: { listing: 'hidden', invoke: true },
    async openOrder(client) {
      assertMentions(await callTool(client, 'list_tool_categories'), 'order')
      assertMentions(await callTool(client, 'get_category_tools', { category: 'order' }), 'order-create')
      return callTool(client, 'invoke_tool', { tool: 'order-create', arguments: ORDER })
    },
  },
  {
    strategy: 'capabilities',
    options: { listing: 'hidden', invoke: true },
    async openOrder(client) {
      assertMentions(await callTool(client, 'workshop_capabilities', { category: 'order' }), 'order-create')
      return callTool(client, 'invoke_tool', { tool: 'order-create', arguments: ORDER })
    },
  },
  {
    // 68 commands cost more than 5,000 tokens, so `auto` is `gateway` here.
    strategy: 'auto',
    openOrder: (client) => callTool(client, 'execute_tool', { tool: 'order-create', arguments: ORDER }),
  },
]

console.log('strategy      tools  bytes of the list')
for (const sample of samples) await show(sample)

async function show({ strategy, options = {}, openOrder }: Sample): Promise<void> {
  const server = createMcpServer({
    name: 'workshop',
    version: '1.0.0',
    commands: createWorkshopCommands(),
    toolStrategy: strategy,
    strategyOptions: options,
    transport: 'http',
    port: 0,
  })
  await server.start()
  const client = await connectTo(`${server.getUrl()}/mcp`)
  const { tools } = await client.listTools()
  const bytes = Buffer.byteLength(JSON.stringify(tools))
  console.log(`${strategy.padEnd(12)} ${String(tools.length).padStart(6)} ${String(bytes).padStart(18)}`)
  const answer = JSON.stringify(await openOrder(client))
  assert.match(answer, /Brakes feel soft/, `${strategy}: ${answer}`)
  await client.close()
  await server.stop()
}

function assertMentions(answer: unknown, name: string): void {
  assert.ok(JSON.stringify(answer).includes(`"${name}"`), `${name} is not in ${JSON.stringify(answer)}`)
}
