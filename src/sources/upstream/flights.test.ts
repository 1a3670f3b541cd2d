import { describe, expect, it } from 'vitest'
import { createFlights, type Flight } from './flights.ts'
import { createQuestions } from './questions.ts'

const rules = { server: 'tested', includeContext: false, maxQuestions: 16 }

function flight(client: string, fields: Partial<Flight> = {}): Flight {
  const questions = createQuestions(rules, { onDecline() {} })
  return { client, questions, signal: new AbortController().signal, pause: () => () => {}, log: () => {}, ...fields }
}
const able = (client: string, fields: Partial<Flight> = {}) => flight(client, { ask: async () => ({}), ...fields })

/** True if it has entered after one turn of the event loop. */
async function hasEntered(entering: Promise<unknown>): Promise<boolean> {
  let entered = false
  void entering.then(() => {
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
    const leaveFirst = await flights.enter(first)
    expect(flights.meant()).toBe(first)
    const leaveOther = await flights.enter(other)
    expect(flights.meant()).toBeUndefined()
    leaveOther()
    expect(flights.meant()).toBe(first)
    leaveFirst()
    expect(flights.meant()).toBe(mute)
  })
})

describe('a server that is known to send requests', () => {
  it('admits one client at a time of those that can answer, in order of arrival', async () => {
    const flights = createFlights()
    flights.knownToAsk = true
    const leave = await flights.enter(able('a'))
    const second = flights.enter(able('b'))
    const third = flights.enter(able('c'))
    // This call could run beside the first, but it must not overtake the second.
    const fourth = flights.enter(able('a'))
    expect(await Promise.all([second, third, fourth].map(hasEntered))).toEqual([false, false, false])
    leave()
    expect(await Promise.all([second, third, fourth].map(hasEntered))).toEqual([true, false, false])
    ;(await second)()
    expect(await hasEntered(third)).toBe(true)
    ;(await third)()
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
    const leave = await flights.enter(able('a'))
    const cancelling = new AbortController()
    const second = flights.enter(able('b', { signal: cancelling.signal }))
    const third = flights.enter(able('c'))
    cancelling.abort(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
    leave()
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
