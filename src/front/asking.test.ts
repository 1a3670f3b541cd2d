// What an upstream server asks in the middle of a call: put to the client of that call, whatever eras the two speak.

import { describe, expect, it } from 'vitest'
import { fixture, reference } from '../sources/upstream/upstream.fixture.ts'
import { accepting, connectAsked, doors, gatewayTo, openTo } from './asked-client.fixture.ts'
import { until } from './door.fixture.ts'
import { eras } from './sdk-client.fixture.ts'

const upstreams = { legacy: 'asks', modern: 'asks-modern' } as const
const pairings = eras.flatMap((upstream) =>
  eras.flatMap((client) => doors.map((door) => [upstream, client, door] as const)),
)

describe.each(pairings)('a %s server, a %s client over %s', (upstream, era, door) => {
  it('passes questions, news and answers on, in their order, within one call', async () => {
    const gateway = await gatewayTo(fixture(upstreams[upstream]), 'interview')
    const { call, asked, heard } = await connectAsked((await openTo(gateway, door))(), era, accepting())
    expect(await call('interview')).toEqual({
      name: { action: 'accept', content: { name: 'Ada' } },
      town: { action: 'accept', content: { town: 'London' } },
    })
    expect(asked.map(({ params }) => params.message)).toEqual(['Your name?', 'Your town?'])
    expect(heard).toEqual([
      'progress 1',
      'log step 1',
      'asked elicitation/create',
      'progress 2',
      'log step 2',
      'asked elicitation/create',
      'progress 3',
      'log step 3',
    ])
    expect(await gateway.counts()).toEqual({ started: 1, finished: 1, cancelled: 0 })
    expect(await call('both')).toMatchObject({
      name: { content: { name: 'Ada' } },
      town: { content: { town: 'London' } },
    })
    expect(asked).toHaveLength(4)
    expect(gateway.events).toMatchObject([
      { tool: 'interview', success: true },
      { tool: 'both', success: true },
    ])
    expect(gateway.errors).toEqual([])
  })

  it('passes on that the client declines or cancels, and what its model says', async () => {
    const gateway = await gatewayTo(fixture(upstreams[upstream]), 'interview')
    const actions = ['decline', 'cancel']
    const reply = accepting()
    const { call } = await connectAsked((await openTo(gateway, door))(), era, (asked, signal) =>
      asked.params.requestedSchema === undefined ? reply(asked, signal) : { action: actions.shift() },
    )
    expect(await call('interview')).toEqual({ name: { action: 'decline' }, town: { action: 'cancel' } })
    expect(await call('sample')).toMatchObject({ content: { text: 'A poem.' }, model: 'test' })
    expect(await call('visit')).toEqual({ action: 'accept' })
    // Through a tool of the strategy it is the same call.
    expect(await call('afd-call', { command: 'visit' })).toEqual({ action: 'accept' })
    expect(gateway.errors).toEqual([])
  })

  it('asks a client nothing that it has not declared', async () => {
    const gateway = await gatewayTo(fixture(upstreams[upstream]), 'interview')
    const connect = await openTo(gateway, door)
    for (const capabilities of [{}, { sampling: {} }]) {
      const { call, asked } = await connectAsked(connect(), era, accepting(), capabilities)
      const outcome = await call('interview').catch((error: Error) => error)
      if (upstream === 'legacy') expect(outcome).toEqual({ name: { action: 'decline' }, town: { action: 'decline' } })
      else expect(JSON.stringify(outcome) + String(outcome)).toMatch(/elicitation/)
      expect(asked).toEqual([])
    }
    const { call, asked } = await connectAsked(connect(), era, accepting(), { elicitation: { form: {} } })
    const outcome = await call('visit').catch((error: Error) => error)
    if (upstream === 'legacy') expect(outcome).toEqual({ action: 'decline' })
    else expect(JSON.stringify(outcome) + String(outcome)).toMatch(/elicitation/)
    expect(asked).toEqual([])
  })
})

describe.each(eras)('the everything server, a %s client', (era) => {
  it('has its elicitation and its sampling answered', async () => {
    const gateway = await gatewayTo(reference('everything', 'stdio'), 'trigger-sampling-request')
    const { call, asked } = await connectAsked((await openTo(gateway, 'http'))(), era, (one, signal) =>
      one.method === 'elicitation/create'
        ? { action: 'accept', content: { name: 'Ada', check: true } }
        : accepting()(one, signal),
    )
    expect(await call('trigger-elicitation-request')).toContain('User provided the requested information')
    expect(await call('trigger-sampling-request', { prompt: 'A poem, please.' })).toContain('A poem.')
    expect(asked).toHaveLength(2)
  })
})

describe('a client that goes away while it is asked', () => {
  it.each(eras)('cancels the call at the server (%s, stdio)', async (era) => {
    const gateway = await gatewayTo(fixture('asks'), 'interview')
    const { call, client, asked } = await connectAsked(
      (await openTo(gateway, 'stdio'))(),
      era,
      () => new Promise(() => {}),
    )
    const pending = call('interview')
    pending.catch(() => {})
    await until('it is asked', () => asked.length === 1)
    await client.close()
    await until('the server hears of it', async () => JSON.stringify(await gateway.counts()).includes('"cancelled":1'))
    expect(gateway.events).toMatchObject([{ tool: 'interview', errorCode: 'CANCELLED' }])
    expect(await gateway.counts()).toEqual({ started: 1, finished: 0, cancelled: 1 })
  })

  it('cancels the call at the server (legacy, HTTP)', async () => {
    const gateway = await gatewayTo(fixture('asks'), 'interview')
    const { call, asked } = await connectAsked(
      (await openTo(gateway, 'http'))(),
      'legacy',
      (_asked, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('withdrawn')))),
    )
    const giveUp = new AbortController()
    const pending = call('interview', {}, giveUp.signal)
    await until('it is asked', () => asked.length === 1)
    giveUp.abort()
    await expect(pending).rejects.toThrow()
    await until('the server hears of it', async () => JSON.stringify(await gateway.counts()).includes('"cancelled":1'))
    expect(gateway.events).toMatchObject([{ tool: 'interview', errorCode: 'CANCELLED' }])
  })
})
