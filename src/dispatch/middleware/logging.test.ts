import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LogLevel } from '../../core/call.ts'
import { failure, success } from '../../core/result.ts'
import { run } from './context.fixture.ts'
import { type CallLogRecord, logging } from './logging.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const succeed = async () => success({ token: 'hunter2' }, { reasoning: 'hunter2' })
const refuse = async () => failure({ code: 'NOPE', message: 'hunter2', details: { why: 'hunter2' } })

describe('logging', () => {
  it('writes one record per call, with the command and the outcome', async () => {
    vi.useFakeTimers()
    const records: CallLogRecord[] = []
    const log = logging({ sink: (record) => records.push(record) })
    await run([log], succeed)
    await run([log], refuse)
    const call = { commandName: 'order-list', traceId: 'trace-1', durationMs: 0 }
    expect(records).toEqual([
      { ...call, level: 'info', success: true },
      { ...call, level: 'error', success: false, errorCode: 'NOPE' },
    ])
  })

  it('writes an error record without a code when the rest of the chain throws', async () => {
    const records: CallLogRecord[] = []
    const log = logging({ sink: (record) => records.push(record) })
    await expect(run([log], () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(records).toEqual([expect.objectContaining({ level: 'error', success: false })])
    expect(records[0]).not.toHaveProperty('errorCode')
  })
})

describe('logging with levels', () => {
  it('logs a success as a warning when it takes slowMs or longer', async () => {
    vi.useFakeTimers()
    const levels: LogLevel[] = []
    const log = logging({ slowMs: 100, sink: ({ level }) => levels.push(level) })
    for (const ms of [99, 100]) {
      await run([log], async () => {
        vi.advanceTimersByTime(ms)
        return success('done')
      })
    }
    expect(levels).toEqual(['info', 'warning'])
  })

  it('leaves out records below the configured level', async () => {
    const sink = vi.fn()
    for (const level of ['debug', 'info', 'notice', 'warning', 'error', 'critical'] as const) {
      sink.mockClear()
      await run([logging({ level, sink })], succeed)
      await run([logging({ level, sink })], refuse)
      const written = sink.mock.calls.map(([record]) => record.level)
      const expected = { debug: 2, info: 2, notice: 1, warning: 1, error: 1, critical: 0 }[level]
      expect(written, level).toEqual(['info', 'error'].slice(2 - expected))
    }
  })

  it('refuses a slowMs that is negative or not a number', () => {
    expect(() => logging({ slowMs: -1 })).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
    expect(() => logging({ slowMs: Number.NaN })).toThrow(/slowMs is NaN/)
  })
})

describe('logging to a sink', () => {
  it('writes one JSON line per call to stderr by default, nothing to stdout, and no value of input or result', async () => {
    const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await run([logging()], succeed)
    await run([logging()], refuse)
    const lines = stderr.mock.calls.map(([line]) => String(line))
    expect(stdout).not.toHaveBeenCalled()
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line).toMatch(/^\{[^\n]*\}\n$/)
      expect(line).not.toContain('hunter2')
    }
    expect(JSON.parse(lines[1]!)).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      level: 'error',
      commandName: 'order-list',
      traceId: 'trace-1',
      success: false,
      durationMs: expect.any(Number),
      errorCode: 'NOPE',
    })
  })

  it('returns the result when the sink throws', async () => {
    const sink = () => {
      throw new Error('disk full')
    }
    expect(await run([logging({ sink })], succeed)).toMatchObject({ success: true })
  })
})
