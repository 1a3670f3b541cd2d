import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CommandInfo } from '../../core/call.ts'
import { fail } from '../../core/errors.ts'
import { failure, success } from '../../core/result.ts'
import { contextOf, run } from './context.fixture.ts'
import { type RetryOptions, retry } from './retry.ts'

const busy = failure({ code: 'BUSY', message: 'busy', retryable: true })
const wrong = failure({ code: 'WRONG', message: 'wrong' })
const done = success('done')

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function commandOf(fields: Partial<CommandInfo>) {
  return contextOf({ command: { name: 'order-list', category: 'order', ...fields } })
}

async function runToEnd(...args: Parameters<typeof run>) {
  const result = run(...args)
  await vi.runAllTimersAsync()
  return result
}

describe('retry', () => {
  it('retries a retryable failure of a read-only command until it succeeds', async () => {
    const handler = vi.fn().mockResolvedValueOnce(busy).mockResolvedValueOnce(busy).mockResolvedValue(done)
    expect(await runToEnd([retry()], handler)).toEqual({ ...done, metadata: { attempts: 3 } })
    expect(handler).toHaveBeenCalledTimes(3)
  })

  it('returns the last failure when the attempts are used up', async () => {
    const handler = vi.fn().mockImplementation(async () => ({ ...busy, metadata: { try: handler.mock.calls.length } }))
    const result = await runToEnd([retry({ attempts: 4 })], handler)
    expect(result).toEqual({ ...busy, metadata: { try: 4, attempts: 4 } })
    expect(handler).toHaveBeenCalledTimes(4)
  })

  it('stops at the first failure that is not retryable', async () => {
    const handler = vi.fn().mockResolvedValueOnce(busy).mockResolvedValue(wrong)
    expect(await runToEnd([retry({ attempts: 10 })], handler)).toEqual({ ...wrong, metadata: { attempts: 2 } })
  })

  it.each([
    ['a success', done, { mutation: false }],
    ['a success that carries an error', { ...done, error: busy.error }, { mutation: false }],
    ['a failure that is not retryable', wrong, { mutation: false }],
    ['a failure of a command that changes something', busy, { mutation: true }],
    ['a failure of a command that does not say whether it changes something', busy, {}],
  ])('does not retry %s', async (_claim, result, command) => {
    const handler = vi.fn().mockResolvedValue(result)
    expect(await runToEnd([retry()], handler, commandOf(command))).toBe(result)
    expect(handler).toHaveBeenCalledTimes(1)
  })

  it('lets `when` decide whether to retry a command that changes data, and calls `when` only for retryable errors', async () => {
    const when = vi.fn<NonNullable<RetryOptions['when']>>((error) => error.code === 'BUSY')
    const limited = fail('RATE_LIMITED', { name: 'x', limit: 1, windowMs: 1, retryAfterMs: 1 })
    const context = commandOf({ mutation: true })

    const handler = vi.fn().mockResolvedValueOnce(busy).mockResolvedValue(limited)
    const result = await runToEnd([retry({ when })], handler, context)
    expect(result).toMatchObject({ error: { code: 'RATE_LIMITED' }, metadata: { attempts: 2 } })
    expect(when.mock.calls).toEqual([
      [busy.error, context],
      [limited.error, context],
    ])

    when.mockClear()
    await runToEnd([retry({ when })], async () => wrong, context)
    expect(when).not.toHaveBeenCalled()
  })

  it('does not retry when `next` throws, and passes the error on', async () => {
    const handler = vi.fn().mockRejectedValue(new Error('broken'))
    await expect(run([retry()], handler)).rejects.toThrow('broken')
    expect(handler).toHaveBeenCalledTimes(1)
  })
})

describe('retry between two attempts', () => {
  async function waitsOf(options: RetryOptions): Promise<number[]> {
    const times: number[] = []
    await runToEnd([retry(options)], async () => {
      times.push(Date.now())
      return busy
    })
    return times.slice(1).map((time, index) => time - (times[index] ?? 0))
  }

  it('doubles the waiting time up to maxMs', async () => {
    const options = { attempts: 6, baseMs: 100, maxMs: 1_000, jitter: false }
    expect(await waitsOf(options)).toEqual([100, 200, 400, 800, 1_000])
  })

  it('waits a random part of the time with jitter, from 0 to all of it', async () => {
    const parts = [0, 0.25, 0.5, 0.75]
    const random = () => parts.shift() ?? 1
    expect(await waitsOf({ attempts: 6, baseMs: 100, maxMs: 1_000, random })).toEqual([0, 50, 200, 600, 1_000])
  })

  it('keeps the waiting time within maxMs for the maximum number of attempts', async () => {
    expect(await waitsOf({ attempts: 100, baseMs: 1, maxMs: 8, jitter: false })).toEqual([
      1,
      2,
      4,
      ...Array(96).fill(8),
    ])
  })

  it('stops waiting at once when the caller cancels, returns the last failure and leaves no timer behind', async () => {
    const controller = new AbortController()
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    const handler = vi.fn().mockResolvedValue(busy)
    const result = run([retry({ jitter: false })], handler, contextOf({ signal: controller.signal }))
    await vi.advanceTimersByTimeAsync(150) // during the wait before the third attempt
    controller.abort()
    expect(await result).toEqual({ ...busy, metadata: { attempts: 2 } })
    expect(handler).toHaveBeenCalledTimes(2)
    expect(vi.getTimerCount()).toBe(0)
    expect(removed).toHaveBeenCalledTimes(2)
  })

  it('does not wait when the caller has already cancelled', async () => {
    const controller = new AbortController()
    const handler = async () => {
      controller.abort()
      return busy
    }
    expect(await run([retry()], handler, contextOf({ signal: controller.signal }))).toBe(busy)
    expect(vi.getTimerCount()).toBe(0)
  })
})

it.each([
  [{ attempts: 0 }, 'attempts is 0'],
  [{ attempts: 2.5 }, 'attempts is 2.5'],
  [{ attempts: 101 }, 'attempts is 101'],
  [{ baseMs: -1 }, 'baseMs is -1'],
  [{ maxMs: 2 ** 31 }, 'maxMs is 2147483648'],
])('refuses the invalid options %j', (options, reason) => {
  expect(() => retry(options)).toThrow(`Invalid retry options: ${reason}`)
})
