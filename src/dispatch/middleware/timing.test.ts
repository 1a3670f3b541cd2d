import { expect, it } from 'vitest'
import { failure, success } from '../../core/result.ts'
import { run } from './context.fixture.ts'
import { timing } from './timing.ts'

function clockOf(...times: number[]): () => number {
  return () => times.shift() ?? Number.NaN
}

it('adds the duration of the call, rounded to two decimals', async () => {
  const result = await run([timing({ now: clockOf(10.0004, 22.3491) })], async () => success('done'))
  expect(result).toEqual({ success: true, data: 'done', metadata: { executionTimeMs: 12.35 } })
})

it('adds the duration to failures too', async () => {
  const failed = failure({ code: 'NOPE', message: 'no' })
  const result = await run([timing({ now: clockOf(0, 5) })], async () => failed)
  expect(result).toEqual({ ...failed, metadata: { executionTimeMs: 5 } })
})

it('keeps the metadata that the handler set, even a duration', async () => {
  const metadata = { executionTimeMs: 1, rows: 3 }
  const result = await run([timing()], async () => success('done', { metadata }))
  expect(result.metadata).toEqual(metadata)
})

it('rethrows an error of the rest of the chain', async () => {
  await expect(run([timing()], () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})
