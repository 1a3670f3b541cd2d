import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Clock } from './clock.ts'

describe('a clock', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const { signal } = new AbortController()

  it('a clock expires after timeoutMs without activity', () => {
    const clock = new Clock({ signal, timeoutMs: 100, maxMs: 1_000 })
    vi.advanceTimersByTime(99)
    clock.touch()
    vi.advanceTimersByTime(99)
    expect(clock.signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(clock.exceededMs).toBe(100)
    expect(clock.signal.aborted).toBe(true)
  })

  it('a clock expires after maxMs in total', () => {
    const clock = new Clock({ signal, timeoutMs: 100, maxMs: 250 })
    for (let time = 0; time < 250; time += 50) {
      vi.advanceTimersByTime(50)
      clock.touch()
    }
    expect(clock.exceededMs).toBe(250)
  })

  it('a clock pauses its timeout until the last pause ends', () => {
    const clock = new Clock({ signal, timeoutMs: 100, maxMs: 10_000 })
    const [resume, resumeOther] = [clock.pause(), clock.pause()]
    vi.advanceTimersByTime(500)
    clock.touch()
    resume()
    resume()
    vi.advanceTimersByTime(500)
    expect(clock.signal.aborted).toBe(false)
    resumeOther()
    vi.advanceTimersByTime(100)
    expect(clock.exceededMs).toBe(100)
  })

  it('a clock aborts when the signal of the caller aborts, and does not count as expired then', () => {
    const caller = new AbortController()
    const clock = new Clock({ signal: caller.signal, timeoutMs: 100, maxMs: 1_000 })
    caller.abort()
    expect(clock.signal.aborted).toBe(true)
    clock.stop()
    vi.advanceTimersByTime(5_000)
    expect(clock.exceededMs).toBeUndefined()
    expect(new Clock({ signal: caller.signal, timeoutMs: 1, maxMs: 1 }).signal.aborted).toBe(true)
  })

  it('a clock leaves no timer behind once it is stopped', () => {
    new Clock({ signal, timeoutMs: 100, maxMs: 1_000 }).stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
