import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CommandContext } from '../../core/call.ts'
import { failure, success } from '../../core/result.ts'
import type { ExecutionTime } from '../../core/tool.ts'
import { contextOf, run } from './context.fixture.ts'
import { type TimeoutOptions, timeout } from './timeout.ts'

const done = success('done')

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const forever = () => new Promise<never>(() => {})

function settlesAfter(ms: number, settle: () => Promise<typeof done>) {
  return () => new Promise<typeof done>((resolve) => setTimeout(() => resolve(settle()), ms))
}

describe('at the timeout', () => {
  it('answers TIMEOUT even if the handler never answers', async () => {
    const result = run([timeout(1_000)], forever)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await result).toMatchObject({
      success: false,
      error: {
        code: 'TIMEOUT',
        message: "'order-list' did not finish within 1000 ms and was stopped",
        retryable: true,
      },
    })
  })

  it('aborts the signal of the rest of the chain at the timeout, not earlier', async () => {
    let seen: AbortSignal | undefined
    const result = run([timeout(1_000)], ({ signal }) => {
      seen = signal
      return forever()
    })
    await vi.advanceTimersByTimeAsync(999)
    expect(seen?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(seen?.reason).toMatchObject({ name: 'TimeoutError' })
    await result
  })

  it('answers TIMEOUT even if the handler answers at the moment of the abort', async () => {
    const result = run(
      [timeout(1_000)],
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(done))),
    )
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await result).toMatchObject({ error: { code: 'TIMEOUT' } })
  })

  it('ignores a late result and a late rejection', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    try {
      const late = run(
        [timeout(1_000)],
        settlesAfter(2_000, async () => done),
      )
      const broken = run(
        [timeout(1_000)],
        settlesAfter(2_000, () => Promise.reject(new Error('too late'))),
      )
      await vi.advanceTimersByTimeAsync(3_000)
      vi.useRealTimers()
      await new Promise((resolve) => setImmediate(resolve)) // Node emits unhandled rejections before this
      expect(await late).toMatchObject({ error: { code: 'TIMEOUT' } })
      expect(await broken).toMatchObject({ error: { code: 'TIMEOUT' } })
      expect(unhandled).not.toHaveBeenCalled()
    } finally {
      process.off('unhandledRejection', unhandled)
    }
  })
})

describe('before the timeout', () => {
  it('passes the result on and clears its timer when the handler is in time', async () => {
    const result = run(
      [timeout(1_000)],
      settlesAfter(999, async () => done),
    )
    await vi.advanceTimersByTimeAsync(999)
    expect(await result).toBe(done)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('clears its timer when the rest of the chain throws, at once or later', async () => {
    const atOnce = () => {
      throw new Error('broken')
    }
    await expect(run([timeout(1_000)], atOnce)).rejects.toThrow('broken')
    await expect(run([timeout(1_000)], async () => atOnce())).rejects.toThrow('broken')
    expect(vi.getTimerCount()).toBe(0)
  })

  it("leaves no listener on the caller's signal", async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    await run([timeout(1_000)], async () => done, contextOf({ signal }))
    expect(added).toHaveBeenCalledTimes(1)
    expect(removed).toHaveBeenCalledWith('abort', added.mock.calls[0]?.[1])
  })

  it('changes only the signal in the context', async () => {
    const context = contextOf({ tenant: 'acme' })
    let seen: CommandContext | undefined
    const handler = async (given: CommandContext) => {
      seen = given
      return done
    }
    await run([timeout(1_000)], handler, context)
    expect(seen).toMatchObject({ ...context, signal: expect.any(AbortSignal) })
    expect(seen?.signal).not.toBe(context.signal)
  })
})

describe('when the caller cancels', () => {
  it('passes a cancellation on with its reason, and returns the answer of the handler', async () => {
    const controller = new AbortController()
    const result = run(
      [timeout(1_000)],
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(failure({ code: 'STOPPED', message: String(signal.reason) })))
        }),
      contextOf({ signal: controller.signal }),
    )
    controller.abort('client went away')
    expect(await result).toEqual(failure({ code: 'STOPPED', message: 'client went away' }))
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives an aborted signal to a call that was cancelled before it began', async () => {
    let reason: unknown
    const handler = async ({ signal }: CommandContext) => {
      reason = signal.reason
      return done
    }
    expect(await run([timeout(1_000)], handler, contextOf({ signal: AbortSignal.abort('too late') }))).toBe(done)
    expect(reason).toBe('too late')
  })

  it('answers CANCELLED instead of TIMEOUT when the call was cancelled and the handler never answers', async () => {
    const controller = new AbortController()
    const result = run([timeout(1_000)], forever, contextOf({ signal: controller.signal }))
    await vi.advanceTimersByTimeAsync(500)
    controller.abort()
    await vi.advanceTimersByTimeAsync(500)
    expect(await result).toMatchObject({ success: false, error: { code: 'CANCELLED' } })
  })
})

describe('the length of the timeout', () => {
  async function timeOf(options: number | TimeoutOptions | undefined, executionTime?: ExecutionTime): Promise<number> {
    const command = { name: 'order-list', category: 'order', ...(executionTime === undefined ? {} : { executionTime }) }
    const began = Date.now()
    const result = run([timeout(options)], forever, contextOf({ command }))
    await vi.runAllTimersAsync()
    await result
    return Date.now() - began
  }

  it('waits 60 s by default, 5 min for slow and 60 min for long-running commands', async () => {
    expect(await timeOf(undefined)).toBe(60_000)
    expect(await timeOf({}, 'instant')).toBe(60_000)
    expect(await timeOf({}, 'fast')).toBe(60_000)
    expect(await timeOf({}, 'slow')).toBe(300_000)
    expect(await timeOf({}, 'long-running')).toBe(3_600_000)
  })

  it('uses a given time for every command', async () => {
    for (const options of [5_000, { ms: 5_000 }]) {
      for (const executionTime of [undefined, 'fast', 'slow', 'long-running'] as const) {
        expect(await timeOf(options, executionTime)).toBe(5_000)
      }
    }
  })

  it('prefers the time that is given for the executionTime of the command', async () => {
    const byExecutionTime = { fast: 2_000, slow: 7_000 }
    expect(await timeOf({ byExecutionTime }, 'fast')).toBe(2_000)
    expect(await timeOf({ byExecutionTime }, 'slow')).toBe(7_000)
    expect(await timeOf({ byExecutionTime }, 'long-running')).toBe(3_600_000)
    expect(await timeOf({ byExecutionTime })).toBe(60_000)
    expect(await timeOf({ ms: 5_000, byExecutionTime }, 'slow')).toBe(7_000)
    expect(await timeOf({ ms: 5_000, byExecutionTime }, 'long-running')).toBe(5_000)
  })

  it.each([
    [0, 'ms is 0'],
    [Number.NaN, 'ms is NaN'],
    [2 ** 31, 'ms is 2147483648'], // Node would fire a timer this long at once
    [{ ms: Number.POSITIVE_INFINITY }, 'ms is Infinity'],
    [{ byExecutionTime: { slow: -1 } }, 'byExecutionTime.slow is -1'],
  ])('refuses the invalid options %j', (options, reason) => {
    expect(() => timeout(options)).toThrow(`Invalid timeout options: ${reason}`)
  })
})
