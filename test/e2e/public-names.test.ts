// The public API as a program uses it, without a protocol.

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  calculateSimilarity,
  createCommandRegistry,
  createDirectClient,
  createMcpServer,
  defineCommand,
  failure,
  findSimilarTools,
  isFailure,
  isSuccess,
  success,
  ToolcribError,
} from '../../src/index.ts'
import { hiddenCommands, shopCommands, shopContexts } from '../fixtures/shop.ts'
import { serverOptions } from '../fixtures/variants.ts'
import { covers } from './harness.ts'

const nothing = z.object({})
const define = (name: string, rest = {}) =>
  defineCommand({ name, description: 'Do it.', input: nothing, handler: () => success(null), ...rest })
const codeOf = (act: () => unknown) => {
  try {
    act()
    return 'nothing was thrown'
  } catch (error) {
    return error instanceof ToolcribError ? error.code : error
  }
}
const shopRegistry = () => {
  const registry = createCommandRegistry()
  registry.register(...shopCommands)
  return registry
}
const namesOf = (commands: readonly { readonly name: string }[]) => commands.map(({ name }) => name)

describe('defineCommand', () => {
  it('defineCommand accepts the names that MCP allows and refuses others', () => {
    covers('PN-1')
    for (const name of ['status', 'user-get', 'v2-user-get', 'create_issue', 'tana_search', 'userGet', 'user.get']) {
      expect(define(name).name).toBe(name)
    }
    for (const name of ['', 'user get', 'user/get', 'usér', 'u'.repeat(129)]) {
      expect(
        codeOf(() => define(name)),
        name,
      ).toBe('INVALID_COMMAND')
    }
  })

  it('defineCommand refuses the names that are reserved for the server, with the reason', () => {
    covers('PN-1')
    expect(() => define('afd-mine')).toThrow(/'afd-'/)
    expect(codeOf(() => define('afd-call'))).toBe('INVALID_COMMAND')
    expect(define('afdmine').name).toBe('afdmine')
  })

  it('defineCommand checks examples against the input', () => {
    covers('PN-2')
    const input = z.object({ id: z.number() })
    expect(codeOf(() => define('user-get', { input, examples: [{ input: { id: 'x' } }] }))).toBe('INVALID_COMMAND')
    expect(define('user-get', { input, examples: [{ input: { id: 1 } }] }).examples).toEqual([{ input: { id: 1 } }])
  })
})

describe('createMcpServer', () => {
  it('createMcpServer refuses an unknown strategy and names the existing ones', () => {
    covers('PN-12')
    // @ts-expect-error: the compiler refuses it too
    const create = () => createMcpServer({ name: 'x', version: '1', commands: [], toolStrategy: 'lasy' })
    expect(codeOf(create)).toBe('UNKNOWN_STRATEGY')
    for (const name of ['individual', 'grouped', 'lazy']) expect(create).toThrow(`'${name}'`)
  })

  it('createMcpServer refuses two commands with the same name', () => {
    covers('PN-1')
    const commands = [define('user-get'), define('user-get')]
    expect(codeOf(() => createMcpServer({ name: 'x', version: '1', commands }))).toBe('DUPLICATE_COMMAND')
  })

  it('a server returns its address and transport', () => {
    covers('PN-3')
    const { options } = serverOptions('shop', 'lazy')
    const http = createMcpServer({ ...options, transport: 'http' })
    expect([http.getTransport(), http.getUrl()]).toEqual(['http', 'http://localhost:3100'])
    const stdio = createMcpServer({ ...options, transport: 'stdio' })
    expect([stdio.getTransport(), stdio.getUrl()]).toEqual(['stdio', 'stdio://'])
  })

  it("a server returns the author's commands without its own tools", () => {
    covers('PN-3')
    const { options } = serverOptions('bootstrap', 'lazy')
    const server = createMcpServer({ ...options, contexts: shopContexts })
    expect(namesOf(server.getCommands())).toEqual(namesOf(shopCommands))
  })

  it('a server runs commands and pipelines in its own process', async () => {
    covers('PN-5', 'PI-9')
    const server = createMcpServer(serverOptions('shop', 'grouped').options)
    expect(await server.execute('user-get', { id: 42 })).toMatchObject({ success: true, data: { id: 42 } })
    expect(await server.execute('vault-open', { code: '1' })).toMatchObject({ error: { code: 'COMMAND_NOT_EXPOSED' } })
    const steps = [
      { command: 'user-get', input: { id: 42 } },
      { command: 'todo-create', input: { title: '$prev.name' } },
    ]
    expect(await server.executePipeline({ steps })).toMatchObject({ success: true, data: { title: 'Alice' } })
    expect(await server.executePipeline({ steps: [] })).toMatchObject({
      success: true,
      data: null,
      steps: [],
      metadata: { completedSteps: 0, totalSteps: 0 },
    })
  })

  it('a server passes the options of execute to the context of handlers', async () => {
    covers('PN-5')
    const seen: unknown[] = []
    const command = defineCommand({
      name: 'who-asks',
      description: 'Say who asks.',
      input: nothing,
      handler(_input, context) {
        seen.push(context.traceId, context.tenant)
        return success(null)
      },
    })
    const server = createMcpServer({ name: 'x', version: '1', commands: [command] })
    await server.execute('who-asks', {}, { traceId: 't-1', tenant: 'acme' })
    expect(seen).toEqual(['t-1', 'acme'])
  })

  it('a server uses the given prefix for its own tools', async () => {
    covers('PN-11')
    const server = createMcpServer(serverOptions('prefixed', 'lazy').options)
    expect(await server.execute('crib-discover')).toMatchObject({ success: true, data: { total: shopCommands.length } })
    expect(await server.execute('crib-call', { command: 'status' })).toMatchObject({ data: { open: true } })
    expect(await server.execute('afd-call', { command: 'status' })).toMatchObject({
      error: { code: 'COMMAND_NOT_FOUND' },
    })
    const { error } = await server.execute('user-gte')
    expect(error?.suggestion).toContain('crib-discover')
    const { options } = serverOptions('bootstrap', 'lazy')
    const helpful = createMcpServer({ ...options, strategyOptions: { prefix: 'crib' } })
    expect(await helpful.execute('crib-help')).toMatchObject({ success: true })
    expect(await helpful.execute('afd-help')).toMatchObject({ error: { code: 'COMMAND_NOT_FOUND' } })
    const clash = { name: 'x', version: '1', commands: [define('crib-mine')], strategyOptions: { prefix: 'crib' } }
    expect(codeOf(() => createMcpServer(clash))).toBe('INVALID_COMMAND')
  })
})

describe('createCommandRegistry', () => {
  it('a registry registers, finds and lists commands', () => {
    covers('PN-8')
    const registry = shopRegistry()
    expect(registry.has('user-get')).toBe(true)
    expect(registry.get('user-get')?.description).toBe('Get a user by id.')
    expect([registry.has('nope'), registry.get('nope')]).toEqual([false, undefined])
    expect(namesOf(registry.list())).toEqual(namesOf(shopCommands))
    expect(codeOf(() => registry.register(define('user-get')))).toBe('DUPLICATE_COMMAND')
  })

  it('a registry lists commands by category, by tags and by exposure', () => {
    covers('PN-8', 'FR-7.3')
    const registry = shopRegistry()
    registry.register(...hiddenCommands)
    expect(namesOf(registry.listByCategory('payment'))).toEqual(['subscription-cancel', 'payment-charge'])
    expect(namesOf(registry.listByCategory('status'))).toEqual(['status'])
    expect(namesOf(registry.listByTags(['admin', 'crud'], 'all'))).toEqual(['user-delete'])
    expect(namesOf(registry.listByTags(['admin', 'secret']))).toEqual(['user-delete', 'config-reset', 'vault-open'])
    expect(namesOf(registry.listByExposure('mcp'))).toEqual(['vault-open'])
  })

  it('a registry runs commands, batches and pipelines', async () => {
    covers('PN-9', 'PI-9')
    const registry = shopRegistry()
    expect(await registry.execute('user-get', { id: 42 })).toMatchObject({ success: true, data: { name: 'Alice' } })
    expect(await registry.executeBatch({ commands: [{ command: 'status' }, { command: 'nope' }] })).toMatchObject({
      success: true,
      summary: { total: 2, successCount: 1, failureCount: 1, skippedCount: 0 },
    })
    expect(await registry.executePipeline({ steps: [{ command: 'status' }] })).toMatchObject({ data: { open: true } })
    expect(await registry.executePipeline({ steps: [] })).toMatchObject({ success: true, data: null, steps: [] })
  })
})

describe('createDirectClient', () => {
  it.each([
    ['a registry', shopRegistry],
    ['a server', () => createMcpServer(serverOptions('shop', 'lazy').options)],
  ])('a direct client calls, batches and pipes over %s, and suggests names for unknown ones', async (_, target) => {
    covers('PN-10', 'FR-4.5')
    const client = createDirectClient(target())
    const called = await client.call('user-get', { id: 42 })
    expect(isSuccess(called) && called.data).toEqual({ id: 42, name: 'Alice' })
    expect(await client.batch({ commands: [{ command: 'status' }] })).toMatchObject({ success: true })
    expect(await client.pipe({ steps: [{ command: 'status' }] })).toMatchObject({ data: { open: true } })
    const unknown = await client.call('user-gte')
    expect(isFailure(unknown)).toBe(true)
    expect(unknown.error).toMatchObject({ code: 'COMMAND_NOT_FOUND' })
    expect(unknown.error?.suggestion).toContain("'user-get'")
  })
})

describe('the helper functions', () => {
  it('calculateSimilarity measures how similar two names are, and findSimilarTools finds the similar names', () => {
    covers('SC-7')
    expect(calculateSimilarity('order-cancel', 'order-cancel')).toBe(1)
    expect(calculateSimilarity('abc', 'xyz')).toBe(0)
    expect(calculateSimilarity('kitten', 'sitting')).toBeCloseTo(1 - 3 / 7)
    const names = ['order-cancel', 'order-create', 'user-get']
    expect(findSimilarTools('order-cancle', names)).toEqual(['order-cancel', 'order-create'])
    expect(findSimilarTools('order-cancle', names, 1)).toEqual(['order-cancel'])
    expect(findSimilarTools('zzz', names)).toEqual([])
  })

  it('success and failure create results, and isSuccess and isFailure distinguish them', () => {
    covers('PN-5')
    const good = success(7, { confidence: 0.5 })
    const bad = failure({ code: 'X', message: 'No' })
    expect([good, bad]).toEqual([
      { success: true, data: 7, confidence: 0.5 },
      { success: false, error: { code: 'X', message: 'No' } },
    ])
    expect([isSuccess(good), isFailure(good), isSuccess(bad), isFailure(bad)]).toEqual([true, false, false, true])
  })
})
