import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../core/call.ts'
import { success } from '../core/result.ts'
import type { DiscoverResult } from '../disclosure/strategies/afd/discover.ts'
import type { Ranker } from '../search/ranker.ts'
import { bm25 } from '../search/rankers/bm25.ts'
import { commandOf, namesOf } from '../sources/commands/command.fixture.ts'
import { cribOf, requestOf } from './crib.fixture.ts'

const commands = [
  commandOf('invoice-send', { contexts: ['billing'] }),
  commandOf('invoice-print'),
  commandOf('ticket-close', { contexts: ['support', 'desk'] }),
]
const unexposed = [commandOf('invoice-purge')]
const contexts = ['billing', 'support', 'desk']

describe('a crib that refuses a call', () => {
  it('refuses a command of another context and names the context to enter, on every path of a call', async () => {
    const crib = cribOf(commands, { contexts, strategy: 'grouped' })
    await crib.call('afd-context-enter', { context: 'billing' }, requestOf('s'))
    const expected = {
      code: 'CONTEXT_MISMATCH',
      message: "Command 'ticket-close' is not available in context 'billing'; it belongs to 'support', 'desk'",
      suggestion: "Call afd-context-enter with context 'support', or pass context: 'support' with the call.",
      details: { contexts: ['support', 'desk'] },
    }
    const ways: [string, unknown][] = [
      ['ticket-close', {}],
      ['commands:ticket-close', {}],
      ['ticket', { action: 'close' }],
      ['ticket', { action: 'ticket-close' }],
      ['afd-call', { command: 'ticket-close' }],
    ]
    for (const [name, args] of ways) expect((await crib.call(name, args, requestOf('s'))).error).toEqual(expected)
    const batch = await crib.call('afd-batch', { commands: [{ command: 'ticket-close' }] }, requestOf('s'))
    expect(batch).toMatchObject({ results: [{ result: { error: expected } }] })
    const pipe = await crib.call('afd-pipe', { steps: [{ command: 'ticket-close' }] }, requestOf('s'))
    expect(pipe).toMatchObject({ steps: [{ status: 'failure', error: expected }] })
  })

  it('refuses a command before it validates the input', async () => {
    const crib = cribOf(commands, { contexts, unexposed })
    const named = requestOf(undefined, { context: 'billing' })
    expect((await crib.execute('ticket-close', 'rubbish', named)).error?.code).toBe('CONTEXT_MISMATCH')
    expect((await crib.execute('invoice-purge', 'rubbish', named)).error?.code).toBe('COMMAND_NOT_EXPOSED')
  })

  it('refuses an unexposed command with COMMAND_NOT_EXPOSED under individual, grouped and lazy', async () => {
    for (const strategy of ['individual', 'grouped', 'lazy']) {
      const crib = cribOf(commands, { contexts, unexposed, strategy })
      expect((await crib.call('invoice-purge', {}, requestOf())).error).toMatchObject({
        code: 'COMMAND_NOT_EXPOSED',
        message: "Command 'invoice-purge' is registered but this server does not expose it",
      })
    }
  })

  it('suggests only visible commands for an unknown name, best first', async () => {
    const crib = cribOf(commands, { contexts, unexposed })
    const { error } = await crib.call('invoice-pint', {}, requestOf())
    expect(error).toMatchObject({
      code: 'COMMAND_NOT_FOUND',
      suggestion: "Did you mean 'invoice-print'? Use afd-call with command 'afd-discover' to list all commands.",
    })
    expect(error?.details?.similar).toEqual(['invoice-print', 'invoice-send'])
    const narrowed = await crib.execute('invoice-snd', {}, requestOf(undefined, { context: 'support' }))
    expect(narrowed.error?.details?.similar).not.toContain('invoice-send')
  })
})

describe('a search', () => {
  const closest = async (crib: ReturnType<typeof cribOf>, search: string, context?: string) => {
    const args = context === undefined ? { search } : { search, context }
    const { data } = await crib.call('afd-discover', args, requestOf())
    return namesOf((data as DiscoverResult).closest ?? []) // the data of discover
  }

  it('finds only visible commands, and shares one index between all callers', async () => {
    let built = 0
    const counting: Ranker = (snapshot, signal) => {
      built++
      return bm25(snapshot, signal)
    }
    const crib = cribOf(commands, { contexts, unexposed, strategy: 'lazy', search: { ranker: counting } })
    expect(await closest(crib, 'invoice please', 'support')).toEqual(['invoice-print'])
    expect(await closest(crib, 'invoice please', 'billing')).toEqual(['invoice-print', 'invoice-send'])
    expect((await closest(crib, 'invoice please')).sort()).toEqual(['invoice-print', 'invoice-send'])
    expect(built).toBe(1)
    crib.register(commandOf('invoice-copy'))
    expect(await closest(crib, 'invoice please', 'support')).toEqual(['invoice-copy', 'invoice-print'])
    expect(built).toBe(2)
  })

  it('ranks the more used of equally relevant commands first, and shows the number of calls in its explanation', async () => {
    const used = new Map<string, number>()
    const crib = cribOf(commands, { contexts, strategy: 'lazy', search: { learned: () => used } })
    expect(await closest(crib, 'invoice please')).toEqual(['invoice-print', 'invoice-send'])
    used.set('commands:invoice-send', 2)
    expect(await closest(crib, 'invoice please')).toEqual(['invoice-send', 'invoice-print'])
    const view = await crib.inspect(requestOf().signal)
    expect(await view.explain('invoice please', 'commands:invoice-send')).toMatchObject({
      calls: 2,
      reasons: [expect.objectContaining({ word: 'invoice' })],
    })
    expect(await view.explain('invoice please', 'commands:invoice-print')).not.toHaveProperty('calls')
  })

  it('explains no command that the caller cannot see', async () => {
    const crib = cribOf(commands, { unexposed, strategy: 'lazy' })
    const view = await crib.inspect(requestOf().signal)
    expect(await view.explain('invoice', 'commands:invoice-print')).toBeDefined()
    expect(await view.explain('invoice', 'commands:invoice-purge')).toBeUndefined()
  })

  it('reports each search with the caller and the query', async () => {
    const searches: unknown[] = []
    const crib = cribOf(commands, { strategy: 'lazy', search: { onSearch: (search) => searches.push(search) } })
    await closest(crib, 'invoice please')
    expect(searches).toEqual([{ caller: requestOf().caller, query: 'invoice please' }])
  })

  it('builds the index again after a failed build', async () => {
    let attempts = 0
    const failingOnce: Ranker = (snapshot, signal) => {
      attempts++
      return attempts === 1 ? Promise.reject(new Error('not now')) : bm25(snapshot, signal)
    }
    const crib = cribOf(commands, { contexts, strategy: 'lazy', search: { ranker: failingOnce } })
    await crib.call('afd-discover', { search: 'invoice please' }, requestOf()).catch(() => undefined)
    expect((await closest(crib, 'invoice please')).length).toBeGreaterThan(0)
  })

  it('continues to build the index for other callers when the first caller aborts', async () => {
    const abortable: Ranker = async (snapshot, signal) => {
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
      return bm25(snapshot, signal)
    }
    const crib = cribOf(commands, { contexts, strategy: 'lazy', search: { ranker: abortable } })
    const controller = new AbortController()
    await crib.list(requestOf())
    const first = crib
      .call('afd-discover', { search: 'invoice please' }, requestOf(undefined, { signal: controller.signal }))
      .catch(() => undefined)
    await Promise.resolve()
    const second = closest(crib, 'invoice please')
    controller.abort()
    await first
    expect((await second).length).toBeGreaterThan(0)
  })
})

describe('a crib that runs a handler', () => {
  const seeing = (seen: CommandContext[]) =>
    commandOf('order-create', {
      version: '2.0.0',
      mutation: true,
      executionTime: 'fast',
      handler: (_input, context) => success(seen.push(context)),
    })

  it('gives the handler a context with the command, the caller, a new traceId, progress and log', async () => {
    const seen: CommandContext[] = []
    const crib = cribOf([seeing(seen)])
    await crib.execute('order-create', {}, requestOf())
    await crib.execute('order-create', {}, requestOf())
    const [first, second] = seen
    expect(first?.command).toEqual({
      name: 'order-create',
      category: 'order',
      version: '2.0.0',
      mutation: true,
      executionTime: 'fast',
    })
    expect(first?.caller.principal).toBe('test')
    expect(first?.traceId).not.toBe(second?.traceId)
    expect(first?.progress(1, 2, 'half')).toBeUndefined()
    expect(first?.log('info', 'x')).toBeUndefined()
  })

  it('adds extra fields to the context, but never in place of its own fields', async () => {
    const seen: CommandContext[] = []
    const crib = cribOf([seeing(seen)])
    const forged = { signal: 'x', caller: 'x', command: 'x', traceId: 'x', progress: 'x', log: 'x', introspect: 'x' }
    await crib.execute('order-create', {}, requestOf(undefined, { extra: { tenant: 'acme', ...forged } }))
    expect(seen[0]?.tenant).toBe('acme')
    expect(seen[0]?.signal).toBeInstanceOf(AbortSignal)
    expect(seen[0]?.caller).toMatchObject({ principal: 'test' })
    expect(seen[0]?.command).toMatchObject({ name: 'order-create' })
    expect(Object.values(seen[0] ?? {})).not.toContain('x')
  })
})
