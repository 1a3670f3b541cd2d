import { afterEach, expect, it, vi } from 'vitest'
import { failure, success } from '../../core/result.ts'
import { contextOf, run } from './context.fixture.ts'
import { type TelemetryEvent, type TelemetrySink, telemetry } from './telemetry.ts'

afterEach(() => {
  vi.useRealTimers()
})

class Recorder implements TelemetrySink {
  readonly events: TelemetryEvent[] = []
  record(event: TelemetryEvent): void {
    this.events.push(event)
  }
}

it('records one event per call with the caller and the outcome, and no value of input or result', async () => {
  vi.useFakeTimers({ now: new Date('2030-01-02T03:04:05.678Z') })
  const sink = new Recorder()
  await run([telemetry(sink)], async () => {
    vi.advanceTimersByTime(250)
    return success({ token: 'hunter2' }, { confidence: 0.5 })
  })
  await run([telemetry(sink)], async () => failure({ code: 'NOPE', message: 'hunter2' }))
  const call = {
    name: 'order-list',
    category: 'order',
    traceId: 'trace-1',
    principal: 'alice',
    transport: 'http',
    era: 'legacy',
  }
  expect(sink.events).toEqual([
    { ...call, startedAt: '2030-01-02T03:04:05.678Z', durationMs: 250, success: true, confidence: 0.5 },
    { ...call, startedAt: '2030-01-02T03:04:05.928Z', durationMs: 0, success: false, errorCode: 'NOPE' },
  ])
})

it('records a failure when the rest of the chain throws, and rethrows the error', async () => {
  const sink = new Recorder()
  await expect(run([telemetry(sink)], () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(sink.events).toEqual([expect.objectContaining({ success: false })])
})

it('returns the result when the sink throws', async () => {
  const record = () => {
    throw new Error('collector is down')
  }
  const done = success('done')
  expect(await run([telemetry({ record })], async () => done, contextOf())).toBe(done)
})
