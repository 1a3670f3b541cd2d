import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { timeLimit } from './time-limit.ts'

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
