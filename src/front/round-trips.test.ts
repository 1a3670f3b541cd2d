// A call of a modern client that waits for answers: who may resume it, how often, and how long it waits.

import { createMcpHandler } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../core/call.ts'
import { success } from '../core/result.ts'
import {
  commandReturning,
  createFront,
  createHolding,
  openDoor,
  type TestFront,
  until,
  within,
} from './door.fixture.ts'
import { createParkedCalls, type ParkingOptions } from './long-call.ts'
import { createProtocolServer } from './protocol-server.ts'
import { ask, begin, type Message, modern, startSession, toolCall } from './raw-client.fixture.ts'

const form = (message: string) => ({
  method: 'elicitation/create' as const,
  params: { message, requestedSchema: { type: 'object', properties: {} } },
})
const put = (context: CommandContext, message: string) => {
  if (context.onServerRequest === undefined) throw new Error('The client cannot be asked.')
  return context.onServerRequest(form(message), context.signal)
}
/** Asks once and returns the answer. */
const confirm = commandReturning('job-confirm', async (context) => success(await put(context, 'Really?')))
const yes = { action: 'accept', content: {} }
const canAnswer = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }

interface Asking {
  readonly resultType?: string
  readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly message: string } }>>
  readonly requestState?: string
}

function call(name: string, args: object = {}, meta: object = {}) {
  return toolCall(name, args, 1, { ...canAnswer, ...meta })
}

/** The request that returns with the same answer to every question. */
function comeBack(
  message: ReturnType<typeof call>,
  { requestState, inputRequests = {} }: Asking,
  answer: unknown = yes,
) {
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]))
  return { ...message, params: { ...message.params, inputResponses, requestState } }
}

function last(messages: readonly Message[]): Message & { readonly result?: Asking } {
  return messages.at(-1) ?? {}
}

const questionsIn = ({ result }: { readonly result?: Asking }) =>
  Object.values(result?.inputRequests ?? {}).map(({ params }) => params.message)
const refused = { code: -32602, message: 'Invalid or expired requestState', data: { reason: 'invalid_request_state' } }

async function door(...parameters: Parameters<typeof openDoor>) {
  const opened = await openDoor(...parameters)
  const send = async (message: { method: string; params?: object }, token?: string) =>
    last(
      (await ask(opened.port, modern(message, token === undefined ? {} : { authorization: `Bearer ${token}` })))
        .messages,
    )
  return { ...opened, send }
}

describe('a call that asks', () => {
  it('answers with the question and a requestState, and gives the result when the client sends the answer with it', async () => {
    const { send, front } = await door({ commands: [confirm] })
    const asking = await send(call('job-confirm'))
    expect(asking.result).toMatchObject({
      resultType: 'input_required',
      requestState: expect.stringMatching(/^toolcrib\.[\w-]{43}$/),
    })
    expect(questionsIn(asking)).toEqual(['Really?'])
    const { result } = await send(comeBack(call('job-confirm'), asking.result ?? {}))
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { success: true, data: yes } })
    expect(front.events).toMatchObject([{ tool: 'job-confirm', success: true }])
  })

  it('accepts the requestState of a parked call only once', async () => {
    const { send } = await door({ commands: [confirm] })
    const { result = {} } = await send(call('job-confirm'))
    const message = comeBack(call('job-confirm'), result)
    const [first, second] = await Promise.all([send(message), send(message)])
    expect([first.error, second.error].filter((error) => error !== undefined)).toEqual([refused])
    expect((await send(message)).error).toEqual(refused)
  })

  it.each(['', 'forged', 'A'.repeat(43)])('refuses an unknown requestState: %j', async (requestState) => {
    const { send, front } = await door({ commands: [confirm] })
    expect((await send(comeBack(call('job-confirm'), { requestState }))).error).toEqual(refused)
    expect(front.events).toEqual([])
  })

  it('refuses the requestState of another principal with the same error, and keeps the call for its owner', async () => {
    const tokens = { alice: 'a'.repeat(32), bob: 'b'.repeat(32) }
    const { send } = await door({ commands: [confirm], auth: { tokens } })
    const { result = {} } = await send(call('job-confirm'), tokens.alice)
    const message = comeBack(call('job-confirm'), result)
    expect((await send(message, tokens.bob)).error).toEqual(refused)
    expect((await send(message, tokens.alice)).result).toMatchObject({ structuredContent: { data: yes } })
  })

  it('refuses a requestState with another tool or other arguments, and keeps the call', async () => {
    const { send } = await door({ commands: [confirm] })
    const { result = {} } = await send(call('job-confirm', { n: 1 }))
    expect((await send(comeBack(call('text-echo', { n: 1 }), result))).error).toEqual(refused)
    expect((await send(comeBack(call('job-confirm', { n: 2 }), result))).error).toEqual(refused)
    expect((await send(comeBack(call('job-confirm', { n: 1 }), result))).error).toBeUndefined()
  })

  it('asks unanswered questions again', async () => {
    const both = commandReturning('job-both', async (context) =>
      success(await Promise.all([put(context, 'First?'), put(context, 'Second?')])),
    )
    const { send } = await door({ commands: [both] })
    const asking = await send(call('job-both'))
    expect(questionsIn(asking)).toEqual(['First?', 'Second?'])
    const { requestState, inputRequests = {} } = asking.result ?? {}
    const [first = ''] = Object.keys(inputRequests)
    const partly = { ...call('job-both').params, requestState, inputResponses: { [first]: yes, unknown: yes } }
    const rest = await send({ ...call('job-both'), params: partly })
    expect(questionsIn(rest)).toEqual(['Second?'])
    const { result } = await send(comeBack(call('job-both'), rest.result ?? {}, { action: 'decline' }))
    expect(result).toMatchObject({ structuredContent: { data: [yes, { action: 'decline' }] } })
  })

  it('sends the messages from the time between two requests first when the client returns', async () => {
    const talk = commandReturning('job-talk', async (context) => {
      context.progress(1)
      const asked = put(context, 'Really?')
      await twoTurns()
      for (const step of [2, 3]) context.progress(step)
      const answer = await asked
      context.progress(4)
      return success(answer)
    })
    const { port } = await door({ commands: [talk] })
    const steps = (messages: readonly Message[]) => messages.flatMap(({ params }) => params?.progress ?? [])
    const message = call('job-talk', {}, { progressToken: 'p' })
    const first = (await ask(port, modern(message))).messages
    const second = (await ask(port, modern(comeBack(message, last(first).result ?? {})))).messages
    expect([...steps(first), ...steps(second)]).toEqual([1, 2, 3, 4])
    expect(last(second).result).toMatchObject({ structuredContent: { data: yes } })
  })

  it('cancels a call when its client hangs up after it has sent the answer', async () => {
    const holding = createHolding()
    const { port, front } = await door({ commands: [confirmThen(holding)] })
    const asking = last((await ask(port, modern(call('job-then')))).messages)
    const pending = begin(port, modern(comeBack(call('job-then'), asking.result ?? {})))
    const held = await holding.next()
    pending.hangUp()
    await within(2_000, 'the signal aborts', held.aborted)
    await until('the call has ended', () => front.events.some(({ errorCode }) => errorCode === 'CANCELLED'))
  })

  it('ignores a requestState from a legacy client', async () => {
    const { port } = await door({ commands: [confirm] })
    const session = await startSession(port)
    const { messages } = await session.ask(comeBack(toolCall('text-echo', { a: 1 }), { requestState: 'any' }))
    expect(last(messages).result).toMatchObject({ structuredContent: { data: { a: 1 } } })
  })
})

/** After two turns of the event loop the question has been sent. */
async function twoTurns() {
  for (const _turn of [1, 2]) await new Promise((resolve) => setImmediate(resolve))
}

/** A command that asks, and then runs until the test finishes it. */
function confirmThen(holding: ReturnType<typeof createHolding>) {
  return commandReturning('job-then', async (context) => {
    await put(context, 'Really?')
    return holding.command.handler({}, context)
  })
}

/** The modern handler of a door, with the limits of the test. */
function modernHandlerOf(front: TestFront, options: ParkingOptions) {
  const parked = createParkedCalls(options)
  const handler = createMcpHandler(
    ({ authInfo }) =>
      createProtocolServer(
        { ...front, parked },
        { principal: authInfo?.clientId ?? 'unknown', era: 'modern', transport: 'http' },
      ),
    { legacy: 'reject' },
  )
  const send = async (message: { method: string; params?: object }, clientId = 'alice') => {
    const { body, headers } = modern(message)
    const given = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
    for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined) given.set(name, value)
    const post = new Request('http://localhost/mcp', { method: 'POST', body: JSON.stringify(body), headers: given })
    const response = await handler.fetch(post, {
      authInfo: { token: '', clientId, scopes: [] },
    })
    const text = await response.text()
    const json = text.startsWith('{') ? text : (/data: (\{.*\})/.exec(text)?.[1] ?? '{}')
    return JSON.parse(json) as Message & { readonly result?: Asking } // sent by the server under test
  }
  return { parked, send }
}

describe('a call that is not resumed', () => {
  it('cancels a parked call after maxMs, and refuses its requestState', async () => {
    const front = createFront({ commands: [confirm] })
    const { send, parked } = modernHandlerOf(front, { maxMs: 50 })
    const { result = {} } = await send(call('job-confirm'))
    await until('the call has ended', () => front.events.length === 1)
    expect(front.events).toMatchObject([{ tool: 'job-confirm', errorCode: 'CANCELLED' }])
    expect((await send(comeBack(call('job-confirm'), result))).error).toEqual(refused)
    expect(parked.size).toBe(0)
  })

  it('cancels the oldest call of the principal with the most calls when there are too many', async () => {
    const front = createFront({ commands: [confirm] })
    const { send, parked } = modernHandlerOf(front, { maxCalls: 3 })
    const greedy = [await send(call('job-confirm', { n: 1 })), await send(call('job-confirm', { n: 2 }))]
    const modest = await send(call('job-confirm'), 'bob')
    const more = await send(call('job-confirm', { n: 3 }))
    expect(parked.size).toBe(3)
    const back = (n: number, { result = {} }: { result?: Asking }) => send(comeBack(call('job-confirm', { n }), result))
    expect((await back(1, greedy[0] ?? {})).error).toEqual(refused)
    expect((await back(2, greedy[1] ?? {})).error).toBeUndefined()
    expect((await back(3, more)).error).toBeUndefined()
    expect((await send(comeBack(call('job-confirm'), modest.result ?? {}), 'bob')).error).toBeUndefined()
    expect(front.events.map(({ errorCode }) => errorCode)).toEqual(['CANCELLED', undefined, undefined, undefined])
  })

  it('cancels a parked call when its door closes', async () => {
    const front = createFront({ commands: [confirm] })
    const { send, parked } = modernHandlerOf(front, {})
    await send(call('job-confirm'))
    parked.close()
    await until('the call has ended', () => front.events.length === 1)
    expect(front.events).toMatchObject([{ errorCode: 'CANCELLED' }])
  })
})
