import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { atMost, timeLimit, withTimeout } from './waiting.ts'

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

describe('withTimeout', () => {
  it('aborts when the time is up, even if garbage is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const waiting = withTimeout(60, new AbortController().signal, untilAborted)
    const collecting = setInterval(collect, 10)
    try {
      await expect(waiting).rejects.toThrow('No answer in 60 ms')
    } finally {
      clearInterval(collecting)
    }
  })

  it("aborts with the caller's reason, even if the caller aborted before the work started", async () => {
    const caller = new AbortController()
    const waiting = withTimeout(Number.POSITIVE_INFINITY, caller.signal, untilAborted)
    const reason = new Error('gone')
    caller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(withTimeout(1_000, caller.signal, async (signal) => signal.reason)).resolves.toBe(reason)
  })

  it('removes its listener and its timer when the work is done', async () => {
    const { signal } = new AbortController()
    let limited: AbortSignal | undefined
    await withTimeout(5, signal, async (given) => {
      limited = given
    })
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    await sleep(20)
    expect(limited?.aborted).toBe(false)
  })
})

describe('atMost', () => {
  it('returns true if the work ended in time, even with an error, and false if it is still running', async () => {
    expect(await atMost(5_000, Promise.resolve())).toBe(true)
    expect(await atMost(5_000, Promise.reject(new Error('failed')))).toBe(true)
    expect(await atMost(1, new Promise(() => {}))).toBe(false)
  })
})

describe('timeLimit', () => {
  it('aborts when the time is up, even if only a listener knows the signal and garbage is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const { signal } = new AbortController()
    const reasons: unknown[] = []
    const listen = () => {
      const limited = timeLimit(60, signal)
      limited.addEventListener('abort', () => reasons.push(limited.reason.message))
    }
    listen()
    const collecting = setInterval(collect, 10)
    try {
      await expect.poll(() => reasons).toEqual(['No answer in 60 ms'])
    } finally {
      clearInterval(collecting)
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('aborts with the reason of the first signal that aborts, and removes its listeners and its timer', async () => {
    const [one, two] = [new AbortController(), new AbortController()]
    const limited = timeLimit(10, one.signal, two.signal)
    two.abort(new Error('gone'))
    expect(limited.reason).toEqual(new Error('gone'))
    expect(getEventListeners(one.signal, 'abort')).toHaveLength(0)
    await sleep(20)
    expect(limited.reason).toEqual(new Error('gone'))
  })

  it('is aborted from the start if a signal has aborted before', () => {
    expect(timeLimit(1_000, new AbortController().signal, AbortSignal.abort('before')).reason).toBe('before')
  })
})
