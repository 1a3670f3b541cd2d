// The category, tags, requirements and examples of a command pass through a second server that wraps the first.

import { describe, expect, it, onTestFinished } from 'vitest'
import type { DetailEntry } from '../disclosure/strategies/afd/detail.ts'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { wrapFor } from './answering-client.fixture.ts'
import { createMcpServer } from './create-mcp-server.ts'

const examples = [{ title: 'One', input: {} }]

async function startShop(): Promise<string> {
  const server = createMcpServer({
    name: 'shop',
    version: '1.0.0',
    toolStrategy: 'individual',
    transport: 'http',
    port: 0,
    commands: [
      commandOf('order-cancel', { category: 'Sales', tags: ['money'], requires: ['order-list'], examples }),
      commandOf('order-list'),
      commandOf('create_return'),
      commandOf('list_returns'),
    ],
  })
  await server.start()
  onTestFinished(() => server.stop())
  return `${server.getUrl()}/mcp`
}

describe('the metadata of commands', () => {
  it('shows the stated metadata of commands through a wrapping server, which derives missing categories', async () => {
    const { front } = await wrapFor({ type: 'http', url: await startShop(), headers: {} }, { strategy: 'lazy' })
    const caller = { principal: 'test', era: 'direct', transport: 'direct' } as const
    const { signal } = new AbortController()
    const command = ['order-cancel', 'order-list', 'create_return', 'list_returns']
    const { data } = await front.crib.call('afd-detail', { command }, { caller, signal })
    const [stated, ...others] = data as readonly DetailEntry[] // the result of the tool
    expect(stated).toMatchObject({ category: 'Sales', tags: ['money'], requires: ['order-list'], examples })
    expect(others).toMatchObject([{ category: 'order' }, { category: 'return' }, { category: 'return' }])
  })
})
