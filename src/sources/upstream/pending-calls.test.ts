import { describe, expect, it } from 'vitest'
import { createPendingCalls } from './pending-calls.ts'
import { createQuestions } from './questions.ts'
import type { PendingCall } from './session-call.ts'

const rules = { server: 'tested', includeContext: false, maxQuestions: 16 }

function pendingCall(client: string, fields: Partial<PendingCall> = {}): PendingCall {
  const questions = createQuestions(rules, { onDecline() {} })
  return {
    token: 'call-1',
    progress() {},
    client,
    ask: undefined,
    hasRoots: false,
    questions: () => questions,
    signal: new AbortController().signal,
    pause: () => () => {},
    log: () => {},
    ...fields,
  }
}
const answeringCall = (client: string, fields: Partial<PendingCall> = {}) =>
  pendingCall(client, { ask: async () => ({}), ...fields })

/** True if the call has entered after one turn of the event loop. */
async function hasEntered(entering: Promise<unknown> | undefined): Promise<boolean> {
  let entered = entering === undefined
  void entering?.then(() => {
    entered = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return entered
}

describe('the call that a message without a progress token belongs to', () => {
  it('a message without a token belongs to a call of the only client, if possible to one that can answer, and to no call if there are several clients', async () => {
    const pendingCalls = createPendingCalls()
    expect(pendingCalls.ofOnlyClient()).toBeUndefined()
    const [unable, first, other] = [pendingCall('a'), answeringCall('a'), pendingCall('b')]
    await pendingCalls.enter(unable)
    expect(pendingCalls.ofOnlyClient()).toBe(unable)
    await pendingCalls.enter(first)
    expect(pendingCalls.ofOnlyClient()).toBe(first)
    await pendingCalls.enter(other)
    expect(pendingCalls.ofOnlyClient()).toBeUndefined()
    pendingCalls.leave(other)
    expect(pendingCalls.ofOnlyClient()).toBe(first)
    pendingCalls.leave(first)
    expect(pendingCalls.ofOnlyClient()).toBe(unable)
  })
})

describe('a server that is known to send requests', () => {
  it('a call waits only for a limited time for a call of another client that does not end', async () => {
    const pendingCalls = createPendingCalls(20)
    pendingCalls.knownToAsk = true
    const [a, b, c] = [answeringCall('a'), answeringCall('b'), answeringCall('c')]
    await pendingCalls.enter(a)
    await Promise.all([pendingCalls.enter(b), pendingCalls.enter(c)])
    // A question can now be meant for several clients, so it belongs to none.
    expect(pendingCalls.ofOnlyClient()).toBeUndefined()
    for (const one of [b, c]) pendingCalls.leave(one)
    expect(pendingCalls.ofOnlyClient()).toBe(a)
  })

  it('a server that sends requests gets calls of one answering client at a time, in order of arrival', async () => {
    const pendingCalls = createPendingCalls()
    pendingCalls.knownToAsk = true
    const [a, b, c] = [answeringCall('a'), answeringCall('b'), answeringCall('c')]
    await pendingCalls.enter(a)
    const second = pendingCalls.enter(b)
    const third = pendingCalls.enter(c)
    // This call could run beside the first, but it must not overtake the second.
    const fourth = pendingCalls.enter(answeringCall('a'))
    expect(await Promise.all([second, third, fourth].map(hasEntered))).toEqual([false, false, false])
    pendingCalls.leave(a)
    expect(await Promise.all([second, third, fourth].map(hasEntered))).toEqual([true, false, false])
    pendingCalls.leave(b)
    expect(await hasEntered(third)).toBe(true)
    pendingCalls.leave(c)
    expect(await hasEntered(fourth)).toBe(true)
  })

  it('a server that sends requests gets calls of clients that cannot answer, and further calls of the same client, at once', async () => {
    const pendingCalls = createPendingCalls()
    pendingCalls.knownToAsk = true
    await pendingCalls.enter(answeringCall('a'))
    expect(await hasEntered(pendingCalls.enter(answeringCall('a')))).toBe(true)
    expect(await hasEntered(pendingCalls.enter(pendingCall('b')))).toBe(true)
  })

  it('a server does not get a call that is cancelled while it waits', async () => {
    const pendingCalls = createPendingCalls()
    pendingCalls.knownToAsk = true
    const a = answeringCall('a')
    await pendingCalls.enter(a)
    const cancelling = new AbortController()
    const second = pendingCalls.enter(answeringCall('b', { signal: cancelling.signal }))
    const third = pendingCalls.enter(answeringCall('c'))
    cancelling.abort(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
    pendingCalls.leave(a)
    expect(await hasEntered(third)).toBe(true)
    await expect(pendingCalls.enter(answeringCall('d', { signal: cancelling.signal }))).rejects.toThrow('gone')
  })
})

describe('a server that is not known to send requests', () => {
  it('a server that is not known to send requests gets all calls at once', async () => {
    const pendingCalls = createPendingCalls()
    await pendingCalls.enter(answeringCall('a'))
    expect(await hasEntered(pendingCalls.enter(answeringCall('b')))).toBe(true)
  })
})
