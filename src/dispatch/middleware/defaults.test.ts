import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { success } from '../../core/result.ts'
import { contextOf, run } from './context.fixture.ts'
import { defaultMiddleware } from './defaults.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2030-01-02T03:04:05.678Z') })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const forever = () => new Promise<never>(() => {})

it('the default middleware adds trace and timing metadata even to a TIMEOUT', async () => {
  const result = run(defaultMiddleware({ timeoutMs: 1_500 }), forever)
  await vi.advanceTimersByTimeAsync(1_500)
  expect(await result).toMatchObject({
    error: { code: 'TIMEOUT' },
    metadata: { traceId: 'trace-1', timestamp: '2030-01-02T03:04:05.678Z', executionTimeMs: 1_500 },
  })
})

it('the default middleware ends a slow command after 5 minutes', async () => {
  const command = { name: 'order-export', category: 'order', executionTime: 'slow' } as const
  const result = run(defaultMiddleware(), forever, contextOf({ command }))
  await vi.advanceTimersByTimeAsync(300_000)
  expect(await result).toMatchObject({ error: { code: 'TIMEOUT' }, metadata: { executionTimeMs: 300_000 } })
})

it('the default middleware writes nothing to stdout or stderr', async () => {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await run(defaultMiddleware(), async () => success('done'))
  expect(stdout).not.toHaveBeenCalled()
  expect(stderr).not.toHaveBeenCalled()
})
