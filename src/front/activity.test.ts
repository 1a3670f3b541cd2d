import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withResolvers } from '../core/waiting.ts'
import { createActivity } from './activity.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('track', () => {
  it('returns the value of the work and counts the work only while it runs', async () => {
    const activity = createActivity()
    const work = withResolvers<string>()
    const tracked = activity.track(work.promise)
    expect(activity.active).toBe(1)
    work.resolve('done')
    expect(await tracked).toBe('done')
    expect(activity.active).toBe(0)
  })

  it('removes work that fails and passes the error on', async () => {
    const activity = createActivity()
    const work = withResolvers()
    const tracked = activity.track(work.promise)
    work.reject(new Error('broken'))
    await expect(tracked).rejects.toThrow('broken')
    expect(activity.active).toBe(0)
  })
})

describe('idle', () => {
  it('idle resolves at once when no work is in flight', async () => {
    await createActivity().idle()
  })

  it('idle waits for all work in flight, including work that fails and work that begins meanwhile', async () => {
    const activity = createActivity()
    const [first, second] = [withResolvers(), withResolvers()]
    activity.track(first.promise).catch(() => {})
    const over = vi.fn()
    const idle = activity.idle().then(over)
    void activity.track(second.promise)
    first.reject(new Error('broken'))
    await vi.advanceTimersByTimeAsync(1)
    expect(over).not.toHaveBeenCalled()
    second.resolve()
    await idle
    expect(over).toHaveBeenCalled()
  })
})

describe('cancel', () => {
  it('cancels and names only the requests in flight, not other work', async () => {
    const activity = createActivity()
    const [request, write] = [withResolvers(), withResolvers()]
    const cancel = vi.fn()
    void activity.track(request.promise, { name: () => 'notes:add', cancel })
    void activity.track(write.promise)
    expect(activity.names).toEqual(['notes:add'])
    const reason = new Error('The server is stopping.')
    activity.cancel(reason)
    expect(cancel).toHaveBeenCalledWith(reason)
    expect(activity.active).toBe(2)
  })
})
