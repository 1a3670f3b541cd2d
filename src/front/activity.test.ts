import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withResolvers } from '../core/waiting.ts'
import { createActivity, drain, settles } from './activity.ts'

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

/** An activity with one request of each name. A request ends when it is cancelled. */
function held(names: readonly string[]) {
  const activity = createActivity()
  const cancelled: string[] = []
  for (const name of names) {
    const { promise: work, resolve: end } = withResolvers()
    const cancel = () => {
      cancelled.push(name)
      end()
    }
    void activity.track(work, { name: () => name, cancel })
  }
  return { activity, cancelled }
}

describe('drain', () => {
  it('drains at once when no request is in flight, without a message, and leaves no timer', async () => {
    const say = vi.fn()
    const { activity } = held([])
    await drain(activity, activity.idle(), { drainMs: 5_000, say })
    expect(say).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('names the requests that it waits for, and cancels those that take longer than drainMs', async () => {
    const say = vi.fn()
    const { activity, cancelled } = held(['notes:add', 'notes:list', 'notes:add'])
    const drained = drain(activity, activity.idle(), { drainMs: 30_000, say, hint: 'press it again' })
    expect(say).toHaveBeenLastCalledWith(
      "waiting up to 30 s for 3 requests: 'notes:add' (2), 'notes:list'; press it again",
    )
    await vi.advanceTimersByTimeAsync(29_999)
    expect(cancelled).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await drained
    expect(cancelled).toEqual(['notes:add', 'notes:list', 'notes:add'])
    expect(say).toHaveBeenLastCalledWith("cancelled 3 requests after 30 s: 'notes:add' (2), 'notes:list'")
  })

  it('cancels at once when the hurry signal aborts', async () => {
    const say = vi.fn()
    const hurry = new AbortController()
    const { activity, cancelled } = held(['notes:add'])
    const drained = drain(activity, activity.idle(), { drainMs: 30_000, hurry: hurry.signal, say })
    hurry.abort()
    await drained
    expect(cancelled).toEqual(['notes:add'])
    expect(say).toHaveBeenLastCalledWith("cancelled 1 request: 'notes:add'")
    expect(vi.getTimerCount()).toBe(0)
  })

  it('names at most five requests in a message', async () => {
    const say = vi.fn()
    const { activity } = held(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    const drained = drain(activity, activity.idle(), { drainMs: 1, say })
    expect(say).toHaveBeenLastCalledWith("waiting up to 0.001 s for 7 requests: 'a', 'b', 'c', 'd', 'e', and 2 more")
    await vi.advanceTimersByTimeAsync(1)
    await drained
  })

  it('stops waiting when a cancelled request is never answered', async () => {
    const activity = createActivity()
    void activity.track(new Promise(() => {}), { name: () => 'deaf', cancel() {} })
    const drained = drain(activity, activity.idle(), { drainMs: 0 })
    await vi.advanceTimersByTimeAsync(1_000)
    await drained
    expect(activity.active).toBe(1)
  })
})

describe('settles', () => {
  it('settles resolves with true if the promise resolves in time, otherwise with false', async () => {
    expect(await settles(Promise.resolve(), 1_000)).toBe(true)
    const late = settles(new Promise(() => {}), 1_000)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await late).toBe(false)
    expect(await settles(new Promise(() => {}), 1_000, AbortSignal.abort())).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })
})
