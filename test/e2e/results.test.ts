// The messages of a server: results, content blocks, progress and logs of a running command, and list changes.

import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import type { BatchResult, CommandResult, DiscoverResult, PipeResult } from '../../src/index.ts'
import { PNG, WAV } from '../fixtures/shop.ts'
import { combinations, covers, OVER, type SharedConnection, useConnections } from './harness.ts'

const BLOCKS = [
  { type: 'image', data: PNG, mimeType: 'image/png' },
  { type: 'audio', data: WAV, mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'shop://bolt', mimeType: 'text/plain', text: 'bolt' } },
  { type: 'resource_link', uri: 'https://shop.example/bolt', name: 'bolt' },
]

describe.each(combinations)(OVER, (combination) => {
  const { shop, lazy } = useConnections({
    shop: { ...combination, variant: 'watched', strategy: 'individual' },
    lazy: { ...combination, variant: 'watched', strategy: 'lazy' },
  })
  let added = 0
  const extend = async (to: SharedConnection) => {
    const name = `late-comer-${++added}`
    await to.call('afd-call', { command: 'shop-extend', input: { name } })
    return name
  }
  /** In the legacy era notifications come without a request; in the modern era a client subscribes to them. */
  const countChanges = async ({ client }: SharedConnection) => {
    let count = 0
    client.setNotificationHandler('notifications/tools/list_changed', () => void count++)
    if (combination.era === 'modern') await client.listen({ toolsListChanged: true })
    return () => count
  }

  it('the server sends a result as compact JSON text and the same as structuredContent', async () => {
    covers('RE-1', 'RE-2')
    const answer = await shop.client.callTool({ name: 'user-get', arguments: { id: 42 } })
    const [block] = answer.content
    expect(answer.content).toHaveLength(1)
    expect(block).toMatchObject({ type: 'text', text: expect.stringMatching(/^\{"success":true,"data":\{"id":42,/) })
    expect(JSON.parse(block?.type === 'text' ? block.text : '')).toEqual(answer.structuredContent)
    expect(answer.isError ?? false).toBe(false)
  })

  it('the server marks every failure, and nothing else, as an error', async () => {
    covers('RE-2')
    const failing = [
      ['user-get', { id: 1_000 }],
      ['user-get', { id: 'x' }],
      ['payment-charge', { cents: 1 }],
      ['no-such-tool', {}],
      ['afd-batch', {}],
      ['afd-batch', { commands: [{ command: 'no-such' }] }],
      ['afd-pipe', { steps: [] }],
      ['afd-discover', { limit: 0 }],
    ] as const
    for (const [tool, args] of failing) {
      const { result, isError } = await shop.call(tool, args)
      expect({ tool, isError, success: result.success }).toEqual({ tool, isError: true, success: false })
    }
    const fine = [
      ['status', {}],
      ['afd-detail', { command: 'no-such' }],
      ['afd-pipe', { steps: [{ command: 'status', when: { $exists: '$input' } }], input: 1 }],
    ] as const
    for (const [tool, args] of fine) {
      const { result, isError } = await shop.call(tool, args)
      expect({ tool, isError, success: result.success }).toEqual({ tool, isError: false, success: true })
    }
  })

  it('the server sends content blocks beside the JSON and never inside it, on every path', async () => {
    covers('RE-3')
    const command = { command: 'picture-draw', input: { sku: 'bolt' } }
    const own = await shop.call('picture-draw', command.input)
    expect(own.result).toMatchObject({ success: true, data: { sku: 'bolt' } })
    const called = await shop.call('afd-call', command)
    const batch = await shop.call<BatchResult>('afd-batch', { commands: [command] })
    const pipe = await shop.call<PipeResult>('afd-pipe', { steps: [command] })
    expect(batch.result.results[0]?.result.data).toEqual({ sku: 'bolt' })
    expect(pipe.result.data).toEqual({ sku: 'bolt' })
    for (const { blocks, text } of [own, called, batch, pipe]) {
      expect(blocks).toEqual(BLOCKS)
      expect(text).not.toContain(PNG)
      expect(text).not.toContain('"content"')
    }
  })

  it('the server sends progress and log messages in order, all of them before the result', async () => {
    covers('RE-4')
    const received: string[] = []
    const { client } = shop
    client.setNotificationHandler('notifications/progress', ({ params }) => {
      received.push(`${params.progressToken} ${params.progress}/${params.total} ${params.message}`)
    })
    client.setNotificationHandler(
      'notifications/message',
      ({ params }) => void received.push(`${params.level} ${params.data}`),
    )
    // In the modern era log messages are sent only for calls that request them.
    const _meta = { progressToken: 'p-1', ...(combination.era === 'modern' ? { [LOG_LEVEL_META_KEY]: 'info' } : {}) }
    await client.callTool({ name: 'job-run', arguments: { steps: 3 }, _meta })
    expect(received).toEqual([
      'p-1 1/3 step 1',
      'info line 1',
      'p-1 2/3 step 2',
      'info line 2',
      'p-1 3/3 step 3',
      'info line 3',
    ])
    received.length = 0
    await client.callTool({ name: 'job-run', arguments: { steps: 1 } })
    expect(received.filter((line) => line.includes('step'))).toEqual([])
  })

  it("the server aborts the handler's signal when the client cancels the call", async () => {
    covers('RE-5')
    await shop.call('journal-take')
    const controller = new AbortController()
    const cancelled = shop.client.callTool({ name: 'job-wait', arguments: {} }, { signal: controller.signal }).then(
      () => 'answered',
      () => 'rejected',
    )
    await shop.call('journal-await', { what: 'waiting' })
    controller.abort()
    expect(await cancelled).toBe('rejected')
    const { result } = await shop.call('journal-await', { what: 'aborted' })
    expect(result.success).toBe(true)
  })

  it('the server aborts the commands inside a batch or a pipe when the client cancels the call', async () => {
    covers('RE-5')
    for (const [tool, args] of [
      ['afd-batch', { commands: [{ command: 'job-wait' }] }],
      ['afd-pipe', { steps: [{ command: 'job-wait' }] }],
    ] as const) {
      await shop.call('journal-take')
      const controller = new AbortController()
      const cancelled = shop.client.callTool({ name: tool, arguments: args }, { signal: controller.signal })
      const outcome = cancelled.then(
        () => 'answered',
        () => 'rejected',
      )
      await shop.call('journal-await', { what: 'waiting' })
      controller.abort()
      expect(await outcome).toBe('rejected')
      expect((await shop.call('journal-await', { what: 'aborted' })).result.success).toBe(true)
    }
  })

  it('the server uses one trace id for all entries of a batch and all steps of a pipe', async () => {
    covers('MW-4')
    const commands = [{ command: 'status' }, { command: 'user-get', input: { id: 1 } }]
    const { result: batch } = await shop.call<BatchResult>('afd-batch', { commands })
    const { result: pipe } = await shop.call<PipeResult>('afd-pipe', { steps: commands })
    const ofEntries = batch.results.map(({ result }) => result.metadata?.traceId)
    const ofSteps = pipe.steps.map(({ metadata }) => metadata?.traceId)
    for (const [first, second] of [ofEntries, ofSteps]) {
      expect(first).toEqual(expect.any(String))
      expect(second).toBe(first)
    }
  })

  it('the server lists a command that was added, notifies the client, and runs it', async () => {
    covers('LI-5')
    const changes = await countChanges(shop)
    // Repeats the registration, because a legacy client over HTTP does not report when its event stream is open.
    const name = await vi.waitFor(async () => {
      const latest = await extend(shop)
      expect(changes()).toBeGreaterThan(0)
      return latest
    }, 15_000)
    expect((await shop.list()).map((tool) => tool.name)).toContain(name)
    expect((await shop.call(name)).result.data).toBe(name)
  })

  it('the server sends no notification under lazy, because the list does not change, and afd-discover finds the new command', async () => {
    covers('LI-5')
    const changes = await countChanges(lazy)
    const before = JSON.stringify(await lazy.list())
    const name = await extend(lazy)
    const { result } = await lazy.call<CommandResult<DiscoverResult>>('afd-discover', { search: name })
    expect(result.data?.commands.map((command) => command.name)).toEqual([name])
    expect(JSON.stringify(await lazy.list())).toBe(before)
    expect(changes()).toBe(0)
  })
})
