import { describe, expect, it } from 'vitest'
import { fail } from '../core/errors.ts'
import { success } from '../core/result.ts'
import { commandReturning, createFront, createHolding, openDoor, until } from './door.fixture.ts'
import { createParkedCalls } from './long-call.ts'
import { createModernCalls } from './modern-calls.ts'
import { ask, begin, modern, toolCall } from './raw-client.fixture.ts'

const call = (name: string, args: unknown = {}, id: string | number = 1) => modern(toolCall(name, args, id))

/** The first call of a client goes through the SDK, which accepts its envelope. The next one bypasses the SDK. */
async function both(port: number, ...[name, args]: Parameters<typeof call>) {
  const first = await ask(port, call(name, args))
  const second = await ask(port, call(name, args))
  return [first, second].map(({ status, headers, messages }) => ({ status, type: headers['content-type'], messages }))
}

/** Sorts the keys, because the SDK adds its fields in another place. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const commands = [
  commandReturning('value-text', () => success('text')),
  commandReturning('value-empty', () => success({})),
  commandReturning('value-failed', () => fail('HANDLE_NOT_FOUND', { handle: 'x' })),
  commandReturning('value-thrown', () => {
    throw new Error('boom')
  }),
  commandReturning('value-wrong', () => 7),
]

describe('a call of a modern client over HTTP', () => {
  it.each([
    ['text-echo', { a: 'ä 漢 𐎀', list: [1, null] }],
    ['value-text', {}],
    ['value-empty', {}],
    ['value-failed', {}],
    ['value-thrown', {}],
    ['value-wrong', {}],
    ['unknown-tool', {}],
  ])('answers %s with the same response with and without the SDK', async (name, args) => {
    const { port } = await openDoor({ commands })
    const [withSdk, without] = await both(port, name, args)
    const VARIES = /[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=executionTimeMs\\?":)[\d.]+/g
    const plain = (answer: unknown) => JSON.stringify(answer, (_key, value) => sorted(value)).replaceAll(VARIES, '0')
    expect(withSdk?.messages).toHaveLength(1)
    expect(plain(without)).toEqual(plain(withSdk))
  })

  it('reports the same event with and without the SDK', async () => {
    const { port, front } = await openDoor()
    await both(port, 'text-echo', {})
    const [first, second] = front.events
    expect({ ...second, durationMs: 0 }).toEqual({ ...first, durationMs: 0 })
  })

  it('leaves a call to the SDK if the SDK has not accepted its envelope for this principal, or if the call is not plain', () => {
    const calls = createModernCalls({ ...createFront(), parked: createParkedCalls() }, { name: 'test', version: '1' })
    const find = (message: unknown, principal = 'ada') =>
      calls.find(message, { identity: { principal }, method: 'tools/call', name: 'text-echo' }) !== undefined
    const { body } = call('text-echo')
    expect(find(body)).toBe(false)
    calls.accept(body, { principal: 'ada' })
    expect(find(body)).toBe(true)
    expect(find(body, 'eve')).toBe(false)
    expect(find(call('text-echo', {}, 1.5).body)).toBe(false)
    const info = { 'io.modelcontextprotocol/clientInfo': { name: 'x'.repeat(5_000), version: '1' } }
    const long = modern(toolCall('text-echo', {}, 1, info)).body
    calls.accept(long, { principal: 'ada' })
    expect(find(long)).toBe(false)
    expect(find(modern(toolCall('text-echo', {}, 1, { progressToken: 1 })).body)).toBe(false)
    expect(find(modern({ ...toolCall('text-echo'), params: { name: 'text-echo', requestState: 's' } }).body)).toBe(
      false,
    )
  })

  it('answers with the id of the request', async () => {
    const { port } = await openDoor()
    const answers = []
    for (const id of [1, 'two', -3, 0]) answers.push(await ask(port, call('text-echo', {}, id)))
    expect(answers.map(({ messages }) => messages[0]?.id)).toEqual([1, 'two', -3, 0])
  })

  it('refuses a call if its headers do not match its body, even if the SDK has accepted an earlier call', async () => {
    const { port } = await openDoor()
    await both(port, 'text-echo', {})
    for (const headers of [{ 'mcp-name': 'other' }, { 'mcp-method': 'tools/list' }]) {
      const { status, messages } = await ask(port, modern(toolCall('text-echo'), headers))
      expect(status).toBe(400)
      expect(messages[0]?.error?.code).toBe(-32020)
    }
  })

  it('cancels a call when its client hangs up', async () => {
    const holding = createHolding()
    const { port, front } = await openDoor({ commands: [holding.command] })
    await both(port, 'text-echo', {})
    const request = begin(port, call('job-hold'))
    const held = await holding.next()
    request.hangUp()
    await held.aborted
    held.finish()
    await until('no call is left', () => front.activity.active === 0)
  })

  it('answers a call in flight while the server stops, and refuses a new call', async () => {
    const holding = createHolding()
    const { port, close } = await openDoor({ commands: [holding.command] })
    await both(port, 'text-echo', {})
    const request = ask(port, call('job-hold'))
    const held = await holding.next()
    const closing = close(5_000)
    expect((await ask(port, call('text-echo'))).status).toBe(503)
    held.finish(success('done'))
    expect((await request).messages[0]?.result?.structuredContent?.data).toBe('done')
    await closing
  })

  it('answers with a stream if the call asks for progress', async () => {
    const report = commandReturning('job-report', (context) => {
      context.progress?.(1, 2)
      return success('done')
    })
    const { port } = await openDoor({ commands: [report] })
    await both(port, 'job-report', {})
    const { messages } = await ask(port, modern(toolCall('job-report', {}, 1, { progressToken: 'p' })))
    expect(messages.map(({ method }) => method)).toEqual(['notifications/progress', undefined])
  })
})
