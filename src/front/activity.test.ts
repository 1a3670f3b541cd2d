import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createActivity } from './activity.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function pending<T = void>() {
  let settle: { resolve(value: T): void; reject(error: Error): void } | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, resolve: (value: T) => settle?.resolve(value), reject: (error: Error) => settle?.reject(error) }
}

describe('track', () => {
  it('gives what the work gives and counts it only while it runs', async () => {
    const activity = createActivity()
    const work = pending<string>()
    const tracked = activity.track(work.promise)
    expect(activity.active).toBe(1)
    work.resolve('done')
    expect(await tracked).toBe('done')
    expect(activity.active).toBe(0)
  })

  it('forgets work that fails, and passes the failure on', async () => {
    const activity = createActivity()
    const work = pending()
    const tracked = activity.track(work.promise)
    work.reject(new Error('broken'))
    await expect(tracked).rejects.toThrow('broken')
    expect(activity.active).toBe(0)
  })
})

describe('drain', () => {
  it('is over at once where nothing runs, and leaves no timer', async () => {
    expect(await createActivity().drain(5_000)).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('waits for work under way, also for work that fails', async () => {
    const activity = createActivity()
    const [first, second] = [pending(), pending()]
    void activity.track(first.promise)
    activity.track(second.promise).catch(() => {})
    const over = vi.fn()
    const drained = activity.drain(5_000).then(over)
    first.resolve()
    await vi.advanceTimersByTimeAsync(4_000)
    expect(over).not.toHaveBeenCalled()
    second.reject(new Error('broken'))
    await drained
    expect(over).toHaveBeenCalledWith(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('waits for work that begins meanwhile, within the same grace', async () => {
    const activity = createActivity()
    const [first, second] = [pending(), pending()]
    void activity.track(first.promise)
    const drained = activity.drain(5_000)
    await vi.advanceTimersByTimeAsync(3_000)
    void activity.track(second.promise)
    first.resolve()
    await vi.advanceTimersByTimeAsync(1_999)
    expect(activity.active).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await drained).toBe(false)
  })

  it('gives up after the grace and says that something still runs', async () => {
    const activity = createActivity()
    void activity.track(new Promise(() => {}))
    const drained = activity.drain(1_000)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await drained).toBe(false)
    expect(activity.active).toBe(1)
  })

  it('can be asked twice at once', async () => {
    const activity = createActivity()
    const work = pending()
    void activity.track(work.promise)
    const both = Promise.all([activity.drain(1_000), activity.drain(2_000)])
    work.resolve()
    expect(await both).toEqual([true, true])
  })
})
