// Middleware runs for each command on every path, but not for introspection or refused calls. Tests listeners too.

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type CallLogRecord,
  type CommandResult,
  createCommandRegistry,
  createDirectClient,
  defineCommand,
  failure,
  isFailure,
  isSuccess,
  logging,
  type Middleware,
  rateLimit,
  retry,
  success,
  type TelemetryEvent,
  telemetry,
  timeout,
} from '../../src/index.ts'
import type { JournalEntry } from '../fixtures/journal.ts'
import { combinations, covers, OVER, useConnections } from './harness.ts'

describe.each(combinations)(OVER, (combination) => {
  const { individual, grouped } = useConnections({
    individual: { ...combination, variant: 'watched', strategy: 'individual' },
    grouped: { ...combination, variant: 'watched', strategy: 'grouped' },
  })
  type Shop = typeof individual

  const takeJournal = async (shop: Shop) => {
    const { result } = await shop.call<CommandResult<readonly JournalEntry[]>>('afd-call', { command: 'journal-take' })
    // The journal's own calls also emit tool:call. The event of the previous call comes after its answer.
    return (result.data ?? []).filter(({ source, what }) => source !== 'tool:call' || what !== 'afd-call')
  }
  const journalOf = async (shop: Shop, tool: string, args: Readonly<Record<string, unknown>>) => {
    await takeJournal(shop)
    await shop.call(tool, args)
    return takeJournal(shop)
  }
  const layersIn = (journal: readonly JournalEntry[]) =>
    journal.filter(({ source }) => source === 'middleware').map(({ layer, what }) => `${layer} ${what}`)

  it("the server runs every layer in order, for the command's own tool and for afd-call", async () => {
    covers('MW-1', 'MW-2', 'FR-1.6', 'FR-4.7', 'SC-3')
    const own = await journalOf(individual, 'status', {})
    const called = await journalOf(individual, 'afd-call', { command: 'status' })
    expect(layersIn(own)).toEqual(['outer status', 'inner status'])
    expect(layersIn(called)).toEqual(layersIn(own))
  })

  it("the server runs middleware for a group's action, each batch entry and each pipe step", async () => {
    covers('MW-2')
    const layers = ['outer status', 'inner status']
    expect(layersIn(await journalOf(grouped, 'status', { action: 'status' }))).toEqual(layers)
    const commands = [{ command: 'status' }, { command: 'status' }]
    expect(layersIn(await journalOf(individual, 'afd-batch', { commands }))).toEqual([...layers, ...layers])
    expect(layersIn(await journalOf(individual, 'afd-pipe', { steps: commands }))).toEqual([...layers, ...layers])
  })

  it('the server does not run middleware for introspection or for refused calls', async () => {
    covers('MW-3')
    for (const [tool, args] of [
      ['afd-discover', {}],
      ['afd-detail', { command: 'status' }],
      ['afd-call', { command: 'afd-discover' }],
      ['afd-call', { command: 'afd-detail', input: { command: 'status' } }],
      ['afd-call', { command: 'no-such' }],
      ['afd-call', { command: 'vault-open', input: { code: '1' } }],
    ] as const) {
      expect(layersIn(await journalOf(individual, tool, args)), tool).toEqual([])
    }
    await takeJournal(individual)
    await individual.list()
    expect(layersIn(await takeJournal(individual))).toEqual([])
  })

  it('the server calls onCommand for each command that ran, with its result', async () => {
    covers('PN-7')
    const commands = [
      { command: 'status' },
      { command: 'user-get', input: { id: 1_000 } },
      { command: 'payment-charge', input: { cents: 1 } },
    ]
    const journal = await journalOf(individual, 'afd-batch', { commands })
    expect(journal.filter(({ source }) => source === 'onCommand')).toEqual([
      { source: 'onCommand', what: 'status', success: true },
      { source: 'onCommand', what: 'user-get', success: false },
      { source: 'onCommand', what: 'payment-charge', success: false },
    ])
  })

  it('the server emits tool:call for every tool call, including introspection', async () => {
    covers('PN-6')
    for (const [tool, args, isSuccessful] of [
      ['afd-discover', {}, true],
      ['afd-detail', { command: 'status' }, true],
      ['status', {}, true],
      ['user-get', { id: 1_000 }, false],
      ['no-such-tool', {}, false],
    ] as const) {
      const journal = await journalOf(individual, tool, args)
      expect(journal.filter(({ source }) => source === 'tool:call')).toEqual([
        { source: 'tool:call', what: tool, success: isSuccessful },
      ])
    }
  })

  it('the server adds a trace id, the execution time and the version of the command to the result', async () => {
    covers('MW-4', 'SC-4')
    const [first, second] = await Promise.all([
      individual.call('user-create', { name: 'Alice', email: 'a@b.com' }),
      individual.call('user-create', { name: 'Alice', email: 'a@b.com' }),
    ])
    for (const { result } of [first, second]) {
      expect(result.metadata).toMatchObject({
        commandVersion: '1.2.0',
        executionTimeMs: expect.any(Number),
        traceId: expect.stringMatching(/./),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      })
    }
    expect(first.result.metadata?.traceId).not.toBe(second.result.metadata?.traceId)
  })

  it('the server passes the principal, transport and era of the caller to the handler', async () => {
    covers('FR-4.9')
    const { result } = await individual.call('context-show')
    expect(result.data).toMatchObject({
      command: 'context-show',
      category: 'context',
      principal: combination.transport === 'http' ? 'anonymous' : combination.transport,
      transport: combination.transport,
      era: combination.era,
      hasSession: combination.era === 'legacy',
      hasTraceId: true,
      isAborted: false,
    })
  })
})

describe('the bundled middleware', () => {
  let runs = 0
  const flaky = defineCommand({
    name: 'flaky-read',
    description: 'Fail twice, then answer.',
    mutation: false,
    input: z.object({}),
    handler: () => (++runs < 3 ? failure({ code: 'BUSY', message: 'Busy', retryable: true }) : success({ runs })),
  })
  const hang = defineCommand({
    name: 'hang-forever',
    description: 'Never answer.',
    input: z.object({}),
    handler: () => new Promise<CommandResult>(() => {}),
  })
  const clientWith = (...middleware: Middleware[]) => {
    const registry = createCommandRegistry({ middleware })
    registry.register(flaky, hang)
    return createDirectClient(registry)
  }

  it('the bundled middleware retries a read-only command after a retryable failure', async () => {
    covers('MW-5', 'MW-2')
    runs = 0
    const result = await clientWith(retry({ baseMs: 0 })).call('flaky-read')
    expect(result).toMatchObject({ success: true, data: { runs: 3 }, metadata: { attempts: 3 } })
  })

  it('the bundled middleware refuses calls beyond the rate limit, as retryable', async () => {
    covers('MW-5')
    const client = clientWith(rateLimit({ limit: 1, windowMs: 60_000 }))
    await client.call('flaky-read')
    const result = await client.call('flaky-read')
    expect(isFailure(result)).toBe(true)
    expect(result.error).toMatchObject({ code: 'RATE_LIMITED', retryable: true })
  })

  it('the bundled middleware ends a call when its timeout expires', async () => {
    covers('MW-5')
    expect((await clientWith(timeout(20)).call('hang-forever')).error).toMatchObject({
      code: 'TIMEOUT',
      retryable: true,
    })
  })

  it('the bundled middleware logs and reports each call once, without its input and output', async () => {
    covers('MW-5')
    runs = 2
    const records: CallLogRecord[] = []
    const events: TelemetryEvent[] = []
    const sink = { record: (event: TelemetryEvent) => void events.push(event) }
    const client = clientWith(logging({ sink: (record) => void records.push(record) }), telemetry(sink))
    expect(isSuccess(await client.call('flaky-read', { secret: 'hunter2' }))).toBe(true)
    expect(records).toMatchObject([{ level: 'info', commandName: 'flaky-read', success: true }])
    expect(events).toMatchObject([{ name: 'flaky-read', category: 'flaky', success: true, era: 'direct' }])
    expect(JSON.stringify([records, events])).not.toContain('hunter2')
  })
})
