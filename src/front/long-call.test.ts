import { describe, expect, it } from 'vitest'
import { success } from '../core/result.ts'
import { type ClientChannel, type OpenRequest, startLongCall } from './long-call.ts'

const request = (message: string) => ({ method: 'elicitation/create' as const, params: { message } })
const never = new AbortController().signal

function requestOf(fields: Partial<OpenRequest> = {}): OpenRequest {
  return { signal: never, capabilities: { elicitation: {} }, ...fields }
}

/** A call that the test controls, and the channel that it was started with. */
function begin() {
  let end = (_data: unknown) => {}
  let channel: ClientChannel | undefined
  const call = startLongCall((given) => {
    channel = given
    return new Promise((resolve) => {
      end = (data) => resolve(success(data))
      given.signal.addEventListener('abort', () => resolve(success('cancelled')))
    })
  })
  const ask = (message: string, signal = never) => channel?.onServerRequest?.(request(message), signal)
  return { call, ask, end: (data: unknown) => end(data), channel: () => channel }
}

const messagesIn = (turn: Awaited<ReturnType<ReturnType<typeof begin>['call']['next']>>) =>
  turn.kind === 'asked' ? Object.values(turn.questions).map(({ params }) => params.message) : turn.result.data

describe('a call over several requests', () => {
  it('starts a call with its first request and never again', async () => {
    const { call, ask, end, channel } = begin()
    expect(channel()).toBeUndefined()
    const first = call.next(requestOf())
    const given = channel()
    void ask('One?')
    await first
    const second = call.next(requestOf(), {})
    end('done')
    expect(messagesIn(await call.next(requestOf()))).toBe('done')
    await second
    expect(channel()).toBe(given)
  })

  it('asks questions of the same turn together, and later ones in the next round', async () => {
    const { call, ask } = begin()
    const first = call.next(requestOf())
    void ask('One?')
    void ask('Two?')
    const turn = await first
    expect(messagesIn(turn)).toEqual(['One?', 'Two?'])
    void ask('Three?')
    const keys = turn.kind === 'asked' ? Object.keys(turn.questions) : []
    const answers = Object.fromEntries(keys.map((key) => [key, { action: 'accept' }]))
    expect(messagesIn(await call.next(requestOf(), answers))).toEqual(['Three?'])
  })

  it('does not ask a withdrawn question', async () => {
    const { call, ask, end } = begin()
    const first = call.next(requestOf())
    const withdrawing = new AbortController()
    const asked = ask('One?', withdrawing.signal)
    withdrawing.abort(new Error('never mind'))
    await expect(asked).rejects.toThrow('never mind')
    end('done without')
    expect(messagesIn(await first)).toBe('done without')
    await expect(ask('Two?', AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  })

  it('returns a result that arrived between two requests', async () => {
    const { call, ask, end } = begin()
    const first = call.next(requestOf())
    void ask('One?')
    await first
    end('gave up waiting')
    expect(messagesIn(await call.next(requestOf()))).toBe('gave up waiting')
  })

  it('refuses questions that the client does not support, and more than 16 at a time', async () => {
    const { call, ask, end } = begin()
    const first = call.next(requestOf({ capabilities: { sampling: {} } }))
    await expect(ask('One?')).rejects.toThrow('does not support this kind of elicitation')
    end('alone')
    expect(messagesIn(await first)).toBe('alone')
    const other = begin()
    const turn = other.call.next(requestOf())
    const asked = Array.from({ length: 20 }, (_, n) => other.ask(`Number ${n}?`, new AbortController().signal))
    await expect(Promise.all(asked)).rejects.toThrow('already has 16 questions to answer')
    expect(messagesIn(await turn)).toHaveLength(16)
  })

  it('cancels a call when its open request is aborted, and by cancel() between two requests', async () => {
    const { call, ask } = begin()
    const giveUp = new AbortController()
    const first = call.next(requestOf({ signal: giveUp.signal }))
    giveUp.abort(new Error('gone'))
    expect(messagesIn(await first)).toBe('cancelled')
    await expect(ask('One?')).rejects.toThrow()
    const other = begin()
    const turn = other.call.next(requestOf())
    void other.ask('One?')
    await turn
    other.call.cancel(new Error('too late'))
    expect(messagesIn(await other.call.next(requestOf()))).toBe('cancelled')
  })
})
