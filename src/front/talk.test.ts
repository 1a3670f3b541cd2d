import { describe, expect, it } from 'vitest'
import { success } from '../core/result.ts'
import { type Leg, startTalk, type WaysBack } from './talk.ts'

const request = (message: string) => ({ method: 'elicitation/create' as const, params: { message } })
const never = new AbortController().signal

function legOf(fields: Partial<Leg> = {}): Leg {
  return { signal: never, capabilities: { elicitation: {} }, ...fields }
}

/** A call that the test controls, and the context that it was started with. */
function begin() {
  let end = (_data: unknown) => {}
  let ways: WaysBack | undefined
  const talk = startTalk((given) => {
    ways = given
    return new Promise((resolve) => {
      end = (data) => resolve(success(data))
      given.signal.addEventListener('abort', () => resolve(success('cancelled')))
    })
  })
  const ask = (message: string, signal = never) => ways?.onServerRequest?.(request(message), signal)
  return { talk, ask, end: (data: unknown) => end(data), ways: () => ways }
}

const messagesIn = (turn: Awaited<ReturnType<ReturnType<typeof begin>['talk']['next']>>) =>
  turn.kind === 'asked' ? Object.values(turn.questions).map(({ params }) => params.message) : turn.result.data

describe('a call over several requests', () => {
  it('starts its call with the first request and never again', async () => {
    const { talk, ask, end, ways } = begin()
    expect(ways()).toBeUndefined()
    const first = talk.next(legOf())
    const given = ways()
    void ask('One?')
    await first
    const second = talk.next(legOf(), {})
    end('done')
    expect(messagesIn(await talk.next(legOf()))).toBe('done')
    await second
    expect(ways()).toBe(given)
  })

  it('asks questions of the same turn together, and later ones in the next round', async () => {
    const { talk, ask } = begin()
    const first = talk.next(legOf())
    void ask('One?')
    void ask('Two?')
    const turn = await first
    expect(messagesIn(turn)).toEqual(['One?', 'Two?'])
    void ask('Three?')
    const keys = turn.kind === 'asked' ? Object.keys(turn.questions) : []
    const answers = Object.fromEntries(keys.map((key) => [key, { action: 'accept' }]))
    expect(messagesIn(await talk.next(legOf(), answers))).toEqual(['Three?'])
  })

  it('does not ask a withdrawn question', async () => {
    const { talk, ask, end } = begin()
    const first = talk.next(legOf())
    const withdrawing = new AbortController()
    const asked = ask('One?', withdrawing.signal)
    withdrawing.abort(new Error('never mind'))
    await expect(asked).rejects.toThrow('never mind')
    end('done without')
    expect(messagesIn(await first)).toBe('done without')
    await expect(ask('Two?', AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  })

  it('returns a result that arrived between two requests', async () => {
    const { talk, ask, end } = begin()
    const first = talk.next(legOf())
    void ask('One?')
    await first
    end('gave up waiting')
    expect(messagesIn(await talk.next(legOf()))).toBe('gave up waiting')
  })

  it('refuses questions that the client does not support, and more than 16 at a time', async () => {
    const { talk, ask, end } = begin()
    const first = talk.next(legOf({ capabilities: { sampling: {} } }))
    await expect(ask('One?')).rejects.toThrow('cannot be asked')
    end('alone')
    expect(messagesIn(await first)).toBe('alone')
    const other = begin()
    const turn = other.talk.next(legOf())
    const asked = Array.from({ length: 20 }, (_, n) => other.ask(`Number ${n}?`, new AbortController().signal))
    await expect(Promise.all(asked)).rejects.toThrow('cannot be asked')
    expect(messagesIn(await turn)).toHaveLength(16)
  })

  it('cancels a call when its open request is aborted, and by cancel() between two requests', async () => {
    const { talk, ask } = begin()
    const giveUp = new AbortController()
    const first = talk.next(legOf({ signal: giveUp.signal }))
    giveUp.abort(new Error('gone'))
    expect(messagesIn(await first)).toBe('cancelled')
    await expect(ask('One?')).rejects.toThrow()
    const other = begin()
    const turn = other.talk.next(legOf())
    void other.ask('One?')
    await turn
    other.talk.cancel(new Error('too late'))
    expect(messagesIn(await other.talk.next(legOf()))).toBe('cancelled')
  })
})
