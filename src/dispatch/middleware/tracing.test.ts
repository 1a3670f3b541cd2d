import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { failure, success } from '../../core/result.ts'
import { contextOf, run } from './context.fixture.ts'
import { tracing } from './tracing.ts'

const began = '2030-01-02T03:04:05.678Z'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(began) })
})
afterEach(() => {
  vi.useRealTimers()
})

it('adds the trace id and the start time to a success and to a failure', async () => {
  const metadata = { traceId: 'trace-1', timestamp: began }
  const slow = async () => {
    vi.advanceTimersByTime(1_000)
    return success('done')
  }
  expect(await run([tracing()], slow)).toEqual({ success: true, data: 'done', metadata })

  vi.setSystemTime(began)
  const failed = failure({ code: 'NOPE', message: 'no' })
  expect(await run([tracing()], async () => failed)).toEqual({ ...failed, metadata })
})

it('adds the version of the command if it has one', async () => {
  const context = contextOf({ command: { name: 'order-list', category: 'order', version: '2.1.0' } })
  const result = await run([tracing()], async () => success('done'), context)
  expect(result.metadata).toEqual({ traceId: 'trace-1', timestamp: began, commandVersion: '2.1.0' })
})

it('keeps the metadata that the handler set, except its trace id', async () => {
  const context = contextOf({ command: { name: 'order-list', category: 'order', version: '2.1.0' } })
  const ownMetadata = { commandVersion: '9.0.0', timestamp: '1999-01-01T00:00:00.000Z', rows: 3 }
  const handler = async () => success('done', { metadata: { ...ownMetadata, traceId: 'of-another-call' } })
  const result = await run([tracing()], handler, context)
  expect(result.metadata).toEqual({ ...ownMetadata, traceId: 'trace-1' })
})

it('gives the id from createId to the rest of the chain and to the result', async () => {
  const seen: string[] = []
  const result = await run([tracing({ createId: ({ traceId }) => `custom-${traceId}` })], async ({ traceId }) => {
    seen.push(traceId)
    return success('done')
  })
  expect(seen).toEqual(['custom-trace-1'])
  expect(result.metadata?.traceId).toBe('custom-trace-1')
})

it('puts the id of the outer of two tracing middlewares into the result', async () => {
  const chain = [tracing({ createId: () => 'outer' }), tracing({ createId: () => 'inner' })]
  const result = await run(chain, async () => success('done'))
  expect(result.metadata?.traceId).toBe('outer')
})
