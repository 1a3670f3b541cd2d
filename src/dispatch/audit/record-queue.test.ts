import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRecordQueue, type PendingRecord } from './record-queue.ts'

let handed: number[][]
beforeEach(() => {
  handed = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const open = () => createRecordQueue((records) => handed.push(records.map((record) => (record as { n: number }).n)))
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

function pending(n: number, changes: Partial<PendingRecord> = {}): PendingRecord {
  return { make: () => ({ n }), heldBytes: 500, lineBytes: 300, ...changes }
}

describe('createRecordQueue', () => {
  it('makes the records 25 ms after the first one was added, and passes them on together', () => {
    const queue = open()
    const make = vi.fn(() => ({ n: 0 }))
    queue.add(pending(0, { make }))
    vi.advanceTimersByTime(24)
    queue.add(pending(1))
    expect(make).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(handed).toEqual([[0, 1]])
    expect(make).toHaveBeenCalledOnce()
  })

  it('has no timer while it has no records to pass on', () => {
    const queue = open()
    queue.add(pending(0))
    vi.advanceTimersByTime(50)
    expect(vi.getTimerCount()).toBe(0)
    queue.add(pending(1))
    queue.flush()
    expect(vi.getTimerCount()).toBe(0)
    expect(handed).toEqual([[0], [1]])
  })

  it('passes the records on in groups when their lines reach 64 KiB', () => {
    const queue = open()
    for (const n of numbers(10)) queue.add(pending(n, { lineBytes: 8 * 1_024 }))
    vi.advanceTimersByTime(25)
    expect(handed).toEqual([numbers(8), [8, 9]])
  })

  it('makes at least 16 records, and at least an eighth of the waiting ones, in one turn of the event loop', () => {
    const queue = open()
    let made = 0
    for (const n of numbers(200)) queue.add(pending(n, { make: () => ({ n: made++ }), lineBytes: 1 }))
    vi.advanceTimersToNextTimer()
    expect(made).toBe(25)
    vi.advanceTimersToNextTimer()
    expect(made).toBe(25 + 22)
    vi.advanceTimersByTime(50)
    expect(handed).toEqual([numbers(200)])
    for (const n of numbers(17)) queue.add(pending(n, { make: () => ({ n: made++ }), lineBytes: 1 }))
    vi.advanceTimersToNextTimer()
    expect(made).toBe(216)
  })

  it('makes records that are added while others are made, without a second timer', () => {
    const queue = open()
    for (const n of numbers(20)) queue.add(pending(n))
    vi.advanceTimersToNextTimer()
    queue.add(pending(20))
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersToNextTimer()
    expect(handed).toEqual([numbers(21)])
  })

  it('keeps at most 8 MiB in memory during a burst within one turn of the event loop', () => {
    const queue = open()
    let made = 0
    for (const n of numbers(10_000)) queue.add(pending(n, { make: () => ({ n: made++ }), heldBytes: 1_048_576 }))
    expect(10_000 - made).toBeLessThanOrEqual(8)
    queue.flush()
    expect(handed.flat()).toEqual(numbers(10_000))
  })

  it('leaves out a record that could not be made', () => {
    const queue = open()
    queue.add(pending(0, { make: () => undefined }))
    queue.flush()
    expect(handed).toEqual([])
    queue.add(pending(1))
    queue.flush()
    expect(handed).toEqual([[1]])
  })
})
