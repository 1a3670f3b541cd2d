import { afterEach, describe, expect, it, vi } from 'vitest'
import { createStartLimiter, type StartTicket } from './start-limiter.ts'

const { signal } = new AbortController()

/** The indexes of the tickets that are ready. */
async function readyIndexes(tickets: readonly StartTicket[]): Promise<number[]> {
  const ready = new Set<number>()
  tickets.forEach((ticket, index) => {
    void ticket.ready.then(
      () => ready.add(index),
      () => {},
    )
  })
  await Promise.resolve()
  await Promise.resolve()
  return [...ready]
}

describe('a start limiter', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('lets in a limited number of starts at a time, and the next one when one of them leaves', async () => {
    const limiter = createStartLimiter({ maxInBackground: 2 })
    const tickets = [1, 2, 3, 4].map(() => limiter.enter(signal, false))
    expect(await readyIndexes(tickets)).toEqual([0, 1])
    tickets[0]?.leave()
    tickets[0]?.leave()
    expect(await readyIndexes(tickets)).toEqual([0, 1, 2])
    tickets[1]?.leave()
    expect(await readyIndexes(tickets)).toEqual([0, 1, 2, 3])
  })

  it('lets in urgent starts at once, and other starts only after the urgent ones have left', async () => {
    const limiter = createStartLimiter({ maxStarting: 1, maxInBackground: 1 })
    const tickets = [false, false, true, false].map((isUrgent) => limiter.enter(signal, isUrgent))
    expect(await readyIndexes(tickets)).toEqual([0, 2])
    tickets[3]?.hurry()
    tickets[0]?.leave()
    expect(await readyIndexes(tickets)).toEqual([0, 2])
    tickets[2]?.leave()
    expect(await readyIndexes(tickets)).toEqual([0, 2, 3])
    tickets[3]?.leave()
    expect(await readyIndexes(tickets)).toEqual([0, 1, 2, 3])
  })

  it('lets in a waiting start at once when it becomes urgent', async () => {
    const limiter = createStartLimiter({ maxInBackground: 1 })
    const tickets = [limiter.enter(signal, false), limiter.enter(signal, false)]
    expect(await readyIndexes(tickets)).toEqual([0])
    tickets[1]?.hurry()
    expect(await readyIndexes(tickets)).toEqual([0, 1])
  })

  it('never lets in more starts than its total limit, neither urgent nor in the background', async () => {
    const limiter = createStartLimiter({ maxStarting: 0, maxInBackground: 2 })
    expect(await readyIndexes([limiter.enter(signal, false), limiter.enter(signal, true)])).toEqual([])
  })

  it('removes a start that is aborted before or while it waits', async () => {
    const limiter = createStartLimiter({ maxStarting: 1 })
    const first = limiter.enter(signal, false)
    const givingUp = new AbortController()
    const second = limiter.enter(givingUp.signal, false)
    const third = limiter.enter(signal, false)
    givingUp.abort(new Error('no more'))
    await expect(second.ready).rejects.toThrow('no more')
    first.leave()
    expect(await readyIndexes([third])).toEqual([0])
    await expect(limiter.enter(givingUp.signal, true).ready).rejects.toThrow('no more')
    third.leave()
    expect(await readyIndexes([limiter.enter(signal, false)])).toEqual([0])
  })

  it('does not let a slow start block the others', async () => {
    vi.useFakeTimers()
    const limiter = createStartLimiter({ maxStarting: 1, maxHoldMs: 1_000 })
    const tickets = [limiter.enter(signal, false), limiter.enter(signal, false), limiter.enter(signal, false)]
    vi.advanceTimersByTime(1_000)
    expect(await readyIndexes(tickets)).toEqual([0, 1])
    // The slot of the first start was already freed by maxHoldMs, so its late `leave` frees no other slot.
    tickets[0]?.leave()
    expect(await readyIndexes(tickets)).toEqual([0, 1])
  })

  it('delays background starts only for a time after the first one was requested, and urgent starts never', async () => {
    vi.useFakeTimers()
    const limiter = createStartLimiter({ maxStarting: 2, maxInBackground: 2, backgroundDelayMs: 300 })
    const first = limiter.enter(signal, false)
    const second = limiter.enter(signal, false)
    const urgent = limiter.enter(signal, true)
    expect(await readyIndexes([first, second, urgent])).toEqual([2])
    second.hurry()
    expect(await readyIndexes([first, second, urgent])).toEqual([1, 2])
    urgent.leave()
    second.leave()
    vi.advanceTimersByTime(299)
    expect(await readyIndexes([first])).toEqual([])
    vi.advanceTimersByTime(1)
    expect(await readyIndexes([first])).toEqual([0])
    expect(await readyIndexes([limiter.enter(signal, false)])).toEqual([0])
  })
})
