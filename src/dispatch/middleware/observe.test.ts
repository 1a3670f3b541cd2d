import { afterEach, expect, it, vi } from 'vitest'
import { failure, success } from '../../core/result.ts'
import { type ObservedOutcome, observe } from './observe.ts'

const unhandled = vi.fn()

afterEach(() => {
  process.off('unhandledRejection', unhandled)
  vi.useRealTimers()
})

it('reports a success with its confidence and a failure with its code, and returns the same result object', async () => {
  vi.useFakeTimers()
  const outcomes: ObservedOutcome[] = []
  const report = (outcome: ObservedOutcome) => outcomes.push(outcome)
  const sure = success('secret', { confidence: 0.9 })
  const failed = failure({ code: 'NOPE', message: 'no' })
  const takes40Ms = async () => {
    vi.advanceTimersByTime(40)
    return sure
  }
  expect(await observe(takes40Ms, report)).toBe(sure)
  expect(await observe(async () => failed, report)).toBe(failed)
  expect(outcomes).toEqual([
    { durationMs: 40, success: true, confidence: 0.9 },
    { durationMs: 0, success: false, errorCode: 'NOPE' },
  ])
})

it('reports a failure without a code when the rest of the chain throws, and rethrows the error', async () => {
  const outcomes: ObservedOutcome[] = []
  const throwing = () => Promise.reject(new Error('broken'))
  await expect(observe(throwing, (outcome) => outcomes.push(outcome))).rejects.toThrow('broken')
  expect(outcomes).toEqual([{ durationMs: expect.any(Number), success: false }])
})

it('returns the result when the report function throws or rejects', async () => {
  process.on('unhandledRejection', unhandled)
  const done = success('done')
  const throwing = () => {
    throw new Error('disk full')
  }
  expect(await observe(async () => done, throwing)).toBe(done)
  expect(
    await observe(
      async () => done,
      async () => throwing(),
    ),
  ).toBe(done)
  await new Promise((resolve) => setImmediate(resolve)) // Node emits unhandled rejections before this
  expect(unhandled).not.toHaveBeenCalled()
})
