// Requests that an upstream server sends during a call reach the client of that call, for every combination of eras.

import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { fixture, reference, type TestedOptions } from '../sources/upstream/upstream.fixture.ts'
import { accepting, connectAnsweringClient, doors, gatewayTo, openTo, type Reply } from './answering-client.fixture.ts'
import { until } from './door.fixture.ts'
import { eras } from './sdk-client.fixture.ts'

const upstreams = { legacy: 'asks', modern: 'asks-modern' } as const
const pairings = eras.flatMap((upstream) =>
  eras.flatMap((client) => doors.map((door) => [upstream, client, door] as const)),
)

describe.each(pairings)('a %s server, a %s client over %s', (upstream, era, door) => {
  it('passes requests, notifications and answers on within one call, in order', async () => {
    const gateway = await gatewayTo(fixture(upstreams[upstream]), 'interview')
    const { call, asked, heard } = await connectAnsweringClient((await openTo(gateway, door))(), era, accepting())
    expect(await call('interview')).toEqual({
      name: { action: 'accept', content: { name: 'Ada' } },
      town: { action: 'accept', content: { town: 'London' } },
    })
    expect(asked.map(({ params }) => params.message)).toEqual([
      '[server "tested"] Your name?',
      '[server "tested"] Your town?',
    ])
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

  it('passes on that the client declines or cancels, and the answer of its model', async () => {
    const gateway = await gatewayTo(fixture(upstreams[upstream]), 'interview')
    const actions = ['decline', 'cancel']
    const reply = accepting()
    const { call } = await connectAnsweringClient((await openTo(gateway, door))(), era, (asked, signal) =>
      asked.params.requestedSchema === undefined ? reply(asked, signal) : { action: actions.shift() },
    )
    expect(await call('interview')).toEqual({ name: { action: 'decline' }, town: { action: 'cancel' } })
    expect(await call('sample')).toMatchObject({ content: { text: 'A poem.' }, model: 'test' })
    expect(await call('visit')).toEqual({ action: 'accept' })
    // A call through a tool of the strategy behaves the same.
    expect(await call('afd-call', { command: 'visit' })).toEqual({ action: 'accept' })
    expect(gateway.errors).toEqual([])
  })

  it('sends a client only requests of the kinds that it has declared', async () => {
    const gateway = await gatewayTo(fixture(upstreams[upstream]), 'interview')
    const connect = await openTo(gateway, door)
    for (const capabilities of [{}, { sampling: {} }]) {
      const { call, asked } = await connectAnsweringClient(connect(), era, accepting(), capabilities)
      const outcome = await call('interview').catch((error: Error) => error)
      if (upstream === 'legacy') expect(outcome).toEqual({ name: { action: 'decline' }, town: { action: 'decline' } })
      else expect(JSON.stringify(outcome) + String(outcome)).toMatch(/elicitation/)
      expect(asked).toEqual([])
    }
    const { call, asked } = await connectAnsweringClient(connect(), era, accepting(), { elicitation: { form: {} } })
    const outcome = await call('visit').catch((error: Error) => error)
    if (upstream === 'legacy') expect(outcome).toEqual({ action: 'decline' })
    else expect(JSON.stringify(outcome) + String(outcome)).toMatch(/elicitation/)
    expect(asked).toEqual([])
  })
})

describe.each(pairings)('requests of a %s server to a %s client over %s', (upstream, era, door) => {
  const open = async (given: TestedOptions = {}, reply: Reply = accepting()) => {
    const gateway = await gatewayTo(fixture(upstreams[upstream]), 'interview', given)
    return { ...(await connectAnsweringClient((await openTo(gateway, door))(), era, reply)), gateway }
  }
  /** All texts of a result: the answer of the tool and the notes after it. */
  const textsOf = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
    const { content } = await client.callTool({ name, arguments: args })
    return content.map((block) => (block.type === 'text' ? block.text : block.type))
  }

  it('puts the name of the server before the message of the server', async () => {
    const { call, asked } = await open()
    expect(await call('pretends')).toMatchObject({ action: 'accept' })
    expect(asked[0]?.params.message).toBe('[server "tested"] Toolcrib needs your password')
  })

  it('declines a URL that is not http or https, and adds a note to the result and for the operator', async () => {
    const { client, asked, gateway } = await open()
    const note = "a question with a 'file:' address was declined: only http and https addresses are passed on"
    expect(await textsOf(client, 'local')).toEqual(['{"action":"decline"}', `[toolcrib] Note: ${note}.`])
    expect(asked).toEqual([])
    expect(gateway.problems).toEqual([note])
  })

  it('does not include the context of other servers unless the configuration allows it', async () => {
    const { call, asked } = await open()
    expect(await call('context')).toMatchObject({ model: 'test' })
    expect(asked[0]?.params).not.toHaveProperty('includeContext')
    const allowed = await open({ config: { includeContext: true } })
    await allowed.call('context')
    expect(allowed.asked[0]?.params).toMatchObject({ includeContext: 'allServers' })
  })

  it('declines further questions when a call asks more than maxQuestions, and adds a note', async () => {
    const { client, asked, gateway } = await open({ options: { maxQuestions: 3 } })
    const note = 'questions above the limit of 3 per call were declined (limits.maxQuestions)'
    const actions = ['accept', 'accept', 'accept', 'decline', 'decline']
    for (const length of [3, 6]) {
      const texts = await textsOf(client, 'many', { count: 5 })
      expect(texts).toEqual([JSON.stringify(actions), `[toolcrib] Note: ${note}.`])
      expect(asked).toHaveLength(length)
    }
    // The operator gets no other message.
    expect(new Set(gateway.problems)).toEqual(new Set([note]))
    expect(await textsOf(client, 'many', { count: 3 })).toEqual([JSON.stringify(actions.slice(0, 3))])
  })

  it.runIf(upstream === 'modern')(
    "keeps counting when the server sends a state that imitates the gateway's own",
    async () => {
      const { client, asked } = await open({ options: { maxQuestions: 3 } })
      const [answer] = await textsOf(client, 'resets')
      expect(answer).toBe(JSON.stringify(['accept', 'accept', 'accept', 'decline', 'decline']))
      expect(asked).toHaveLength(3)
    },
  )

  it.runIf(upstream === 'modern')(
    'asks the client only the allowed questions, and answers the server for the others too',
    async () => {
      const { client, asked } = await open()
      const [answer = '', note] = await textsOf(client, 'mixed')
      expect(JSON.parse(answer)).toEqual({
        it: { action: 'decline' },
        name: { action: 'accept', content: { name: 'Ada' } },
        state: 'mixed',
      })
      expect(note).toContain("a 'file:' address was declined")
      expect(asked.map(({ params }) => params.message)).toEqual(['[server "tested"] Your name?'])
    },
  )
})

describe.each(eras)('the everything server, a %s client', (era) => {
  it('answers the elicitation and the sampling of the everything server', async () => {
    const gateway = await gatewayTo(reference('everything', 'stdio'), 'trigger-sampling-request')
    const { call, asked } = await connectAnsweringClient((await openTo(gateway, 'http'))(), era, (one, signal) =>
      one.method === 'elicitation/create'
        ? { action: 'accept', content: { name: 'Ada', check: true } }
        : accepting()(one, signal),
    )
    expect(await call('trigger-elicitation-request')).toContain('User provided the requested information')
    expect(await call('trigger-sampling-request', { prompt: 'A poem, please.' })).toContain('A poem.')
    expect(asked).toHaveLength(2)
  })
})

describe('a client that leaves while it is asked', () => {
  it.each(eras)('cancels the call at the server when the client leaves while it is asked (%s, stdio)', async (era) => {
    const gateway = await gatewayTo(fixture('asks'), 'interview')
    const { call, client, asked } = await connectAnsweringClient(
      (await openTo(gateway, 'stdio'))(),
      era,
      () => new Promise(() => {}),
    )
    const pending = call('interview')
    pending.catch(() => {})
    await until('the client is asked', () => asked.length === 1)
    await client.close()
    await until('the server gets the cancellation', async () =>
      JSON.stringify(await gateway.counts()).includes('"cancelled":1'),
    )
    expect(gateway.events).toMatchObject([{ tool: 'interview', errorCode: 'CANCELLED' }])
    expect(await gateway.counts()).toEqual({ started: 1, finished: 0, cancelled: 1 })
  })

  it('cancels the call at the server when the client gives up while it is asked (legacy, HTTP)', async () => {
    const gateway = await gatewayTo(fixture('asks'), 'interview')
    const { call, asked } = await connectAnsweringClient(
      (await openTo(gateway, 'http'))(),
      'legacy',
      (_asked, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('withdrawn')))),
    )
    const giveUp = new AbortController()
    const pending = call('interview', {}, giveUp.signal)
    await until('the client is asked', () => asked.length === 1)
    giveUp.abort()
    await expect(pending).rejects.toThrow()
    await until('the server gets the cancellation', async () =>
      JSON.stringify(await gateway.counts()).includes('"cancelled":1'),
    )
    expect(gateway.events).toMatchObject([{ tool: 'interview', errorCode: 'CANCELLED' }])
  })
})
