import { describe, expect, it } from 'vitest'
import { createFlights, type Flight } from './flights.ts'
import { createQuestions } from './questions.ts'

const rules = { server: 'tested', includeContext: false, maxQuestions: 16 }

function flight(client: string, fields: Partial<Flight> = {}): Flight {
  const questions = createQuestions(rules, { onDecline() {} })
  return {
    client,
    questions: () => questions,
    signal: new AbortController().signal,
    pause: () => () => {},
    log: () => {},
    ...fields,
  }
}
const able = (client: string, fields: Partial<Flight> = {}) => flight(client, { ask: async () => ({}), ...fields })

/** Whether it has entered by the time everything that can happen has happened. */
async function hasEntered(entering: Promise<unknown> | undefined): Promise<boolean> {
  let entered = entering === undefined
  void entering?.then(() => {
    entered = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return entered
}

describe('the flight that is meant', () => {
  it('is the only one, one that can answer among those of one client, and none among those of two', async () => {
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

describe('a server known to ask', () => {
  it('gets one client at a time of those that can answer, in the order they came', async () => {
    const flights = createFlights()
    flights.knownToAsk = true
    const [a, b, c] = [able('a'), able('b'), able('c')]
    await flights.enter(a)
    const second = flights.enter(b)
    const third = flights.enter(c)
    // One that is not in the way of the first must still not pass the second.
    const fourth = flights.enter(able('a'))
    expect(await Promise.all([second, third, fourth].map(hasEntered))).toEqual([false, false, false])
    flights.leave(a)
    expect(await Promise.all([second, third, fourth].map(hasEntered))).toEqual([true, false, false])
    flights.leave(b)
    expect(await hasEntered(third)).toBe(true)
    flights.leave(c)
    expect(await hasEntered(fourth)).toBe(true)
  })

  it('lets in at once whoever can answer nothing, and more of the same client', async () => {
    const flights = createFlights()
    flights.knownToAsk = true
    await flights.enter(able('a'))
    expect(await hasEntered(flights.enter(able('a')))).toBe(true)
    expect(await hasEntered(flights.enter(flight('b')))).toBe(true)
  })

  it('lets go of one that is cancelled while it waits', async () => {
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

describe('a server not known to ask', () => {
  it('gets them all at once', async () => {
    const flights = createFlights()
    await flights.enter(able('a'))
    expect(await hasEntered(flights.enter(able('b')))).toBe(true)
  })
})
