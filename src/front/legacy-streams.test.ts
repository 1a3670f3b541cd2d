// Event streams of legacy sessions: opened, closed and resumed, with the right messages on each.

import { describe, expect, it } from 'vitest'
import { success } from '../core/result.ts'
import { defineCommand } from '../sources/commands/define.ts'
import { commandReturning, createHolding, echo, openDoor, until, within } from './door.fixture.ts'
import { ask, begin, connectRaw, LEGACY, type Message, startSession, toolCall } from './raw-client.fixture.ts'
import { connectHttp } from './sdk-client.fixture.ts'

const contexts = [{ name: 'sales' }, { name: 'support' }]
const refund = defineCommand({ ...echo, name: 'order-refund', contexts: ['support'], handler: () => success(1) })

const isListChanged = ({ method }: Message) => method === 'notifications/tools/list_changed'

function another(name: string) {
  return commandReturning(name, () => success(1))
}

describe('the stream of a session', () => {
  it('sends the response headers at once, so that the client knows that the stream is open', async () => {
    const { port } = await openDoor()
    const { id } = await startSession(port)
    const { socket, seen } = await connectRaw(port)
    socket.write(
      `GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: ${id}\r\nMcp-Protocol-Version: ${LEGACY}\r\n\r\n`,
    )
    await within(2_000, 'the head of the stream', seen('HTTP/1.1 200'))
  })

  it('allows one event stream per session at a time', async () => {
    const { port } = await openDoor()
    const session = await startSession(port)
    await session.stream()
    const headers = { 'mcp-session-id': session.id, accept: 'text/event-stream' }
    const second = begin(port, { method: 'GET', headers })
    await second.head
    expect(second.status).toBe(409)
  })

  it('reopens a stream at once after its client hung up', async () => {
    const { port, front } = await openDoor()
    const session = await startSession(port)
    for (let round = 0; round < 5; round++) {
      const stream = await session.stream()
      stream.hangUp()
      await stream.ended
      // After this round trip the server has noticed the hang-up.
      await session.ask(toolCall('text-echo'))
    }
    const stream = await session.stream()
    front.commands.register(another('late-one'))
    await within(2_000, 'the new stream gets the notification', stream.find(isListChanged))
  })

  it('reopens a stream when its client hung up during the token check', async () => {
    let asked = 0
    let slow: Promise<void> | undefined
    let endCheck = () => {}
    const verify = async () => {
      asked++
      await slow
      return 'alice'
    }
    const { port } = await openDoor({ auth: { verify } })
    const token = { authorization: 'Bearer x' }
    const session = await startSession(port, token)
    slow = new Promise((resolve) => {
      endCheck = resolve
    })
    const before = asked
    const headers = { ...token, 'mcp-session-id': session.id, accept: 'text/event-stream' }
    const given = begin(port, { method: 'GET', headers })
    await until('the token check has started', () => asked > before)
    given.hangUp()
    await given.ended
    // After this request the server has noticed that the first connection is closed.
    await ask(port, { method: 'GET', path: '/health' })
    endCheck()
    slow = undefined
    await session.ask(toolCall('text-echo'))
    const again = await session.stream()
    expect(again.status).not.toBe(409)
  })

  it('sends one list_changed notification per change to each session with a stream', async () => {
    const { port, front } = await openDoor()
    const sessions = await Promise.all([startSession(port), startSession(port), startSession(port)])
    const streams = await Promise.all(sessions.map((session) => session.stream()))
    for (const count of [1, 2, 3]) {
      front.commands.register(another(`added-${count}`))
      await until(`each has ${count} notifications`, () =>
        streams.every((stream) => stream.messages.filter(isListChanged).length >= count),
      )
    }
    // A pending notification would arrive before the answer to this call.
    await Promise.all(sessions.map((session) => session.ask(toolCall('text-echo'))))
    for (const { messages } of streams) expect(messages.filter(isListChanged)).toHaveLength(3)
  })

  it('sends list_changed notifications to an official client', async () => {
    const { port, front } = await openDoor()
    const { heard, client } = await connectHttp(port, 'legacy')
    await client.listTools()
    await until('the client is notified', async () => {
      front.commands.register(another(`added-${front.commands.list().length}`))
      await client.ping()
      return heard.length > 0
    })
    expect(heard[0]).toMatchObject({ method: 'notifications/tools/list_changed' })
  })
})

describe('entering a context', () => {
  it('sends list_changed in the response of the call, before the result', async () => {
    const { port } = await openDoor({ contexts, commands: [refund] })
    const session = await startSession(port)
    const { messages } = await session.ask(toolCall('afd-context-enter', { context: 'sales' }, 'enter'))
    expect(messages.map(({ method, id }) => method ?? id)).toEqual(['notifications/tools/list_changed', 'enter'])
  })

  it('sends list_changed once, even if the session also has a stream', async () => {
    const { port } = await openDoor({ contexts, commands: [refund] })
    const [session, other] = [await startSession(port), await startSession(port)]
    const [stream, theirs] = [await session.stream(), await other.stream()]
    const { messages } = await session.ask(toolCall('afd-context-enter', { context: 'sales' }, 'enter'))
    await session.ask(toolCall('text-echo'))
    expect([...messages, ...stream.messages].filter(isListChanged)).toHaveLength(1)
    expect(theirs.messages).toEqual([])
  })

  it('sends no list_changed when the list stays the same', async () => {
    const { port } = await openDoor({ contexts })
    const session = await startSession(port)
    const { messages } = await session.ask(toolCall('afd-context-enter', { context: 'sales' }, 'enter'))
    expect(messages.map(({ method, id }) => method ?? id)).toEqual(['enter'])
  })
})

describe('a call that releases its connection', () => {
  it('delivers the answer after the call released its connection, when the client resumes the stream', async () => {
    const holding = createHolding()
    const { port } = await openDoor({ commands: [holding.command] })
    const session = await startSession(port)
    const pending = session.begin(toolCall('job-hold', {}, 'long', { progressToken: 'p' }))
    const call = await holding.next()
    call.context.releaseConnection?.()
    await within(2_000, 'the connection is released', pending.ended)
    call.context.progress(1, 2)
    call.finish(success('later'))
    const last = /id: (\S+)/.exec(pending.text)?.[1]
    expect(last).toBeDefined()
    const resumed = begin(port, {
      method: 'GET',
      headers: { 'mcp-session-id': session.id, accept: 'text/event-stream', 'last-event-id': last },
    })
    const answer = await resumed.find(({ id }) => id === 'long')
    expect(answer.result?.structuredContent?.data).toBe('later')
    expect(resumed.messages.map(({ method, id }) => method ?? id)).toEqual(['notifications/progress', 'long'])
    await within(2_000, 'the stream ends with the answer', resumed.ended)
  })

  it('does not deliver the answer of a call to another session of the same principal', async () => {
    const holding = createHolding()
    const { port } = await openDoor({ commands: [holding.command] })
    const [session, other] = [await startSession(port), await startSession(port)]
    const pending = session.begin(toolCall('job-hold', {}, 'long'))
    const call = await holding.next()
    call.context.releaseConnection?.()
    await pending.ended
    call.finish(success('secret'))
    for (const id of ['1', '2', '3', '4', '5', '6', 'nonsense']) {
      const headers = { 'mcp-session-id': other.id, accept: 'text/event-stream', 'last-event-id': id }
      const stolen = begin(port, { method: 'GET', headers })
      await until('it is answered', async () => {
        await other.ask(toolCall('text-echo'))
        return stolen.status !== 0 || stolen.text !== ''
      })
      expect(stolen.text).not.toContain('secret')
      stolen.hangUp()
      await stolen.ended
    }
  })
})

describe('two clients', () => {
  it.each(['sessions of raw HTTP', 'official clients'])(
    'never mixes up the answers of two clients: %s',
    async (kind) => {
      const slowEcho = defineCommand({
        ...echo,
        name: 'slow-echo',
        async handler(input) {
          // The delays differ, so that answers overtake each other.
          for (let turns = Math.floor(Math.random() * 20); turns > 0; turns--) {
            await new Promise((resolve) => setImmediate(resolve))
          }
          return success(input)
        },
      })
      const { port } = await openDoor({ commands: [slowEcho] })
      const callers = await Promise.all(
        ['a', 'b'].map(async (name) => {
          if (kind === 'official clients') {
            const { call } = await connectHttp(port, 'legacy')
            return (index: number) => call('slow-echo', { of: name, index })
          }
          const session = await startSession(port)
          return async (index: number) => {
            // Both sessions use the same ids on purpose.
            const { messages } = await session.ask(toolCall('slow-echo', { of: name, index }, index))
            expect(messages).toHaveLength(1)
            expect(messages[0]?.id).toBe(index)
            return messages[0]?.result?.structuredContent
          }
        }),
      )
      const answers = await Promise.all(
        Array.from({ length: 200 }, async (_, i) => ({ i, result: await callers[i % 2]?.(i) })),
      )
      for (const { i, result } of answers) expect(result?.data).toEqual({ of: i % 2 === 0 ? 'a' : 'b', index: i })
    },
  )
})
