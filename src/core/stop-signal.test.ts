import { describe, expect, it } from 'vitest'
import { abortSignalOf, Stop } from './stop-signal.ts'

describe('a Stop', () => {
  it('calls each listener once, in order, and keeps the first reason', () => {
    const stop = new Stop()
    const heard: string[] = []
    stop.addEventListener('abort', () => heard.push('first'))
    stop.addEventListener('abort', () => heard.push('second'))
    stop.abort('why')
    stop.abort('again')
    expect({ heard, aborted: stop.aborted, reason: stop.reason }).toEqual({
      heard: ['first', 'second'],
      aborted: true,
      reason: 'why',
    })
  })

  it('does not call a listener that was removed before the abort', () => {
    const stop = new Stop()
    const heard: string[] = []
    const removed = () => heard.push('removed')
    stop.addEventListener('abort', removed)
    stop.addEventListener('abort', () => heard.push('kept'))
    stop.removeEventListener('abort', removed)
    stop.abort()
    expect(heard).toEqual(['kept'])
    expect(stop.reason).toMatchObject({ name: 'AbortError' })
  })
})

describe('abortSignalOf', () => {
  it('returns one AbortSignal for a Stop, with the same reason, even if it is created after the abort', () => {
    const [early, late] = [new Stop(), new Stop()]
    const signal = abortSignalOf(early)
    expect(signal).toBeInstanceOf(AbortSignal)
    expect(abortSignalOf(early)).toBe(signal)
    expect(signal.aborted).toBe(false)
    early.abort('stopped')
    late.abort('stopped')
    for (const each of [signal, abortSignalOf(late)]) {
      expect({ aborted: each.aborted, reason: each.reason }).toEqual({ aborted: true, reason: 'stopped' })
    }
  })

  it('returns a signal that works with AbortSignal.any', () => {
    const stop = new Stop()
    const any = AbortSignal.any([abortSignalOf(stop), new AbortController().signal])
    stop.abort('stopped')
    expect(any.reason).toBe('stopped')
  })

  it('returns a real AbortSignal unchanged', () => {
    const { signal } = new AbortController()
    expect(abortSignalOf(signal)).toBe(signal)
  })
})
