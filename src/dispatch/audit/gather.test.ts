import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGather, type Unmade } from './gather.ts'

let handed: number[][]
beforeEach(() => {
  handed = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const open = () => createGather((records) => handed.push(records.map((record) => (record as { n: number }).n)))
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

function unmade(n: number, changes: Partial<Unmade> = {}): Unmade {
  return { make: () => ({ n }), heldBytes: 500, lineBytes: 300, ...changes }
}

describe('createGather', () => {
  it('makes a record after add() returns, and passes all records on together after 50 ms', () => {
    const gather = open()
    const make = vi.fn(() => ({ n: 0 }))
    gather.add(unmade(0, { make }))
    expect(make).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(make).toHaveBeenCalledOnce()
    gather.add(unmade(1))
    vi.advanceTimersByTime(48)
    expect(handed).toEqual([])
    vi.advanceTimersByTime(1)
    expect(handed).toEqual([[0, 1]])
    expect(make).toHaveBeenCalledOnce()
  })

  it('has no timer while it has no records to pass on', () => {
    const gather = open()
    gather.add(unmade(0))
    vi.advanceTimersByTime(50)
    expect(vi.getTimerCount()).toBe(0)
    gather.add(unmade(1))
    gather.flush()
    expect(vi.getTimerCount()).toBe(0)
    expect(handed).toEqual([[0], [1]])
  })

  it('passes the records on before 50 ms when their lines reach 64 KiB', () => {
    const gather = open()
    for (const n of numbers(10)) gather.add(unmade(n, { lineBytes: 8 * 1_024 }))
    vi.advanceTimersByTime(1)
    expect(handed).toEqual([numbers(8)])
    vi.advanceTimersByTime(50)
    expect(handed).toEqual([numbers(8), [8, 9]])
  })

  it('makes at most 64 records in one turn of the event loop', () => {
    const gather = open()
    let made = 0
    for (const n of numbers(200)) gather.add(unmade(n, { make: () => ({ n: made++ }), lineBytes: 1 }))
    vi.advanceTimersToNextTimer()
    expect(made).toBe(64)
    vi.advanceTimersByTime(60)
    expect(handed.flat()).toEqual(numbers(200))
  })

  it('keeps at most 8 MiB in memory during a burst within one turn of the event loop', () => {
    const gather = open()
    let made = 0
    for (const n of numbers(10_000)) gather.add(unmade(n, { make: () => ({ n: made++ }), heldBytes: 1_048_576 }))
    expect(10_000 - made).toBeLessThanOrEqual(8)
    gather.flush()
    expect(handed.flat()).toEqual(numbers(10_000))
  })

  it('leaves out a record that could not be made', () => {
    const gather = open()
    gather.add(unmade(0, { make: () => undefined }))
    gather.flush()
    expect(handed).toEqual([])
    gather.add(unmade(1))
    gather.flush()
    expect(handed).toEqual([[1]])
  })
})
