import { describe, expect, it } from 'vitest'
import { createFlights, type Flight } from './flights.ts'
import { createQuestions } from './questions.ts'

const rules = { server: 'tested', includeContext: false, maxQuestions: 16 }

function flight(client: string, fields: Partial<Flight> = {}): Flight {
  const questions = createQuestions(rules, { onDecline() {} })
  return {
    token: 'call-1',
    progress() {},
    client,
    questions: () => questions,
    signal: new AbortController().signal,
    pause: () => () => {},
    log: () => {},
    ...fields,
  }
}
const able = (client: string, fields: Partial<Flight> = {}) => flight(client, { ask: async () => ({}), ...fields })

/** True if it has entered after one turn of the event loop. */
async function hasEntered(entering: Promise<unknown> | undefined): Promise<boolean> {
  let entered = entering === undefined
  void entering?.then(() => {
    entered = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return entered
}

describe('the call that a server means', () => {
  it('finds the only call, or one that can answer if all calls have one client, and none if there are two clients', async () => {
    const flights = createFlights()
    expect(flights.meant()).toBeUndefined()
    const [mute, first, other] = [flight('a'), able('a'), flight('b')]
    await flights.enter(mute)
    expect(flights.meant()).toBe(mute)
    await flights.enter(first)
    expect(flights.meant()).toBe(first)
    await flights.enter(other)
    expect(flights.meant()).toBeUndefined()
    flights.leave(other)
    expect(flights.meant()).toBe(first)
    flights.leave(first)
    expect(flights.meant()).toBe(mute)
  })
})

describe('a server that is known to send requests', () => {
  it('admits one client at a time of those that can answer, in order of arrival', async () => {
    const flights = createFlights()
    flights.knownToAsk = true
    const [a, b, c] = [able('a'), able('b'), able('c')]
    await flights.enter(a)
    const second = flights.enter(b)
    const third = flights.enter(c)
    // This call could run beside the first, but it must not overtake the second.
    const fourth = flights.enter(able('a'))
    expect(await Promise.all([second, third, fourth].map(hasEntered))).toEqual([false, false, false])
    flights.leave(a)
    expect(await Promise.all([second, third, fourth].map(hasEntered))).toEqual([true, false, false])
    flights.leave(b)
    expect(await hasEntered(third)).toBe(true)
    flights.leave(c)
    expect(await hasEntered(fourth)).toBe(true)
  })

  it('admits calls that cannot answer, and further calls of the same client, at once', async () => {
    const flights = createFlights()
    flights.knownToAsk = true
    await flights.enter(able('a'))
    expect(await hasEntered(flights.enter(able('a')))).toBe(true)
    expect(await hasEntered(flights.enter(flight('b')))).toBe(true)
  })

  it('removes a call that is cancelled while it waits', async () => {
    const flights = createFlights()
    flights.knownToAsk = true
    const a = able('a')
    await flights.enter(a)
    const cancelling = new AbortController()
    const second = flights.enter(able('b', { signal: cancelling.signal }))
    const third = flights.enter(able('c'))
    cancelling.abort(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
    flights.leave(a)
    expect(await hasEntered(third)).toBe(true)
    await expect(flights.enter(able('d', { signal: cancelling.signal }))).rejects.toThrow('gone')
  })
})

describe('a server that is not known to send requests', () => {
  it('admits all calls at once when the server is not known to send requests', async () => {
    const flights = createFlights()
    await flights.enter(able('a'))
    expect(await hasEntered(flights.enter(able('b')))).toBe(true)
  })
})
