import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type FailureResult, success } from '../core/result.ts'
import { invocationOf } from './batch.fixture.ts'
import { type BatchResult, runBatch } from './batch.ts'
import type { Invocation } from './bounded-run.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function batch(request: unknown, invocation: Invocation = invocationOf()): Promise<BatchResult> {
  return ran(await runBatch(request, invocation))
}

function ran(result: BatchResult | FailureResult): BatchResult {
  if (!('results' in result)) throw new Error(result.error.message)
  return result
}

const outcomes = ({ results }: BatchResult) =>
  results.map(({ result }) => (result.success ? 'success' : result.error?.code))

describe('a batch', () => {
  it('gives each entry its own result, and a summary', async () => {
    vi.useFakeTimers({ now: new Date('2026-01-01T00:00:00Z') })
    const running = batch({
      commands: [
        { id: 'slow', command: 'wait', input: { ms: 30 } },
        { command: 'wait', input: { ms: 10 } },
      ],
    })
    await vi.advanceTimersByTimeAsync(40)
    expect(await running).toEqual({
      success: true,
      results: [
        { id: 'slow', index: 0, command: 'wait', result: success({ ms: 30 }), durationMs: 30 },
        { id: '1', index: 1, command: 'wait', result: success({ ms: 10 }), durationMs: 10 },
      ],
      summary: { total: 2, successCount: 2, failureCount: 0, skippedCount: 0 },
      timing: {
        totalMs: 40,
        averageMs: 20,
        startedAt: '2026-01-01T00:00:00.000Z',
        completedAt: '2026-01-01T00:00:00.040Z',
      },
      confidence: 1,
      reasoning: '2 of 2 commands succeeded, 0 failed, 0 skipped.',
    })
  })

  it('runs all entries after a failure, and is a success with a warning when only some entries succeed', async () => {
    const result = await batch({
      commands: [{ command: 'echo' }, { command: 'break' }, { command: 'nosuch' }, { command: 'echo' }],
    })
    expect(result.success).toBe(true)
    expect(result).not.toHaveProperty('error')
    expect(outcomes(result)).toEqual(['success', 'BROKEN', 'COMMAND_NOT_FOUND', 'success'])
    expect(result.summary).toEqual({ total: 4, successCount: 2, failureCount: 2, skippedCount: 0 })
    expect(result.reasoning).toBe('2 of 4 commands succeeded, 2 failed, 0 skipped.')
    expect(result.warnings).toEqual([
      {
        code: 'BATCH_INCOMPLETE',
        message:
          '2 of 4 commands failed, and 0 did not run. Read `results`, then send again only the commands that did not succeed.',
      },
    ])
  })

  it('fails when every entry fails', async () => {
    const result = await batch({ commands: [{ command: 'break' }, { command: 'nosuch' }] })
    expect(result).toMatchObject({ success: false, error: { code: 'BATCH_INCOMPLETE' }, confidence: 0 })
    expect(result).not.toHaveProperty('warnings')
  })

  it('writes the noun of the entries in the singular when there is only one entry', async () => {
    const done = await batch({ commands: [{ command: 'echo' }] })
    expect(done.reasoning).toBe('1 of 1 command succeeded, 0 failed, 0 skipped.')
    const failed = await batch({ commands: [{ command: 'break' }] })
    expect(failed.error?.message).toBe('1 of 1 command failed, and 0 did not run')
    const invocation = invocationOf()
    invocation.cancel()
    const { warnings } = await batch({ commands: [{ command: 'echo' }] }, invocation)
    expect(warnings?.[0]?.message).toBe('1 of 1 command was not run: the batch was cancelled')
  })

  it('runs one entry after the other by default', async () => {
    vi.useFakeTimers()
    const invocation = invocationOf()
    const commands = [3, 2, 1].map((ms) => ({ command: 'wait', input: { ms } }))
    const running = batch({ commands }, invocation)
    expect(invocation.calls).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(6)
    expect((await running).timing.totalMs).toBe(6)
  })

  it('runs at most `parallelism` entries at once and keeps the order of the request in its results', async () => {
    vi.useFakeTimers()
    const invocation = invocationOf()
    const commands = [30, 10, 20].map((ms) => ({ command: 'wait', input: { ms } }))
    const running = batch({ commands, options: { parallelism: 2 } }, invocation)
    expect(invocation.calls).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(30)
    const result = await running
    expect(result.results.map((entry) => entry.result.data)).toEqual([{ ms: 30 }, { ms: 10 }, { ms: 20 }])
    expect(result.timing.totalMs).toBe(30)
  })

  it('gives {} to a command if its entry has no input', async () => {
    const invocation = invocationOf()
    await batch({ commands: [{ command: 'echo' }] }, invocation)
    expect(invocation.calls).toEqual([['echo', {}]])
  })

  it('decodes an input that a model sent as JSON text', async () => {
    const result = await batch({ commands: [{ command: 'echo', input: '{"a":[1]}' }] })
    expect(result.results[0]?.result.data).toEqual({ a: [1] })
  })

  it('has the lowest confidence of its successful entries, and 0 when every entry fails', async () => {
    const sure = (confidence?: number) => async () => success(null, confidence === undefined ? {} : { confidence })
    const invocation = invocationOf({
      high: sure(0.9),
      low: sure(0.4),
      silent: sure(),
      odd: async () => JSON.parse('{"success":true,"confidence":"high"}'),
    })
    const of = async (...names: string[]) =>
      (await batch({ commands: names.map((command) => ({ command })) }, invocation)).confidence
    expect(await of('high', 'low', 'silent', 'break')).toBe(0.4)
    expect(await of('silent')).toBe(1)
    expect(await of('odd')).toBe(1)
    expect(await of('break')).toBe(0)
  })

  it('moves content blocks out of the entries, in the order of the request', async () => {
    const image = (data: string) => ({ type: 'image', mimeType: 'image/png', data }) as const
    const invocation = invocationOf({ draw: async ({ data }) => success({ drawn: data }, { content: [image(data)] }) })
    const result = await batch(
      { commands: ['AAAA', 'BBBB'].map((data) => ({ command: 'draw', input: { data } })), options: { parallelism: 2 } },
      invocation,
    )
    expect(result.content).toEqual([image('AAAA'), image('BBBB')])
    expect(result.results.map((entry) => entry.result)).toEqual([
      success({ drawn: 'AAAA' }),
      success({ drawn: 'BBBB' }),
    ])
  })

  it('gives the same results for every parallelism', async () => {
    const entry = fc.record({
      command: fc.constantFrom('double', 'break', 'nosuch'),
      input: fc.record({ n: fc.integer() }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 2, max: 16 }),
        async (commands, parallelism) => {
          const timeless = ({ results, summary, confidence, reasoning }: BatchResult) => ({
            results: results.map(({ durationMs, ...rest }) => rest),
            summary,
            confidence,
            reasoning,
          })
          const one = await batch({ commands })
          const many = await batch({ commands, options: { parallelism } })
          expect(timeless(many)).toEqual(timeless(one))
        },
      ),
    )
  })
})

describe('a batch with very large results', () => {
  it('fails only the entries that no longer fit when the results are too large together', async () => {
    const MIB = 1024 * 1024
    const invocation = invocationOf({ large: async () => success('x'.repeat(30 * MIB)) })
    const commands = ['large', 'echo', 'large', 'large', 'echo'].map((command) => ({ command }))
    const result = await batch({ commands }, invocation)
    expect(outcomes(result)).toEqual(['success', 'success', 'success', 'INVALID_RESULT', 'success'])
    expect(result.results[3]?.result.error?.message).toContain(`of the ${64 * MIB}`)
    expect(result.results[3]?.result.error?.suggestion).toBe(
      'Ask for less data, or call it in a request of its own; do not repeat a call that changes something.',
    )
  })
})

describe('stopOnError', () => {
  it('skips the entries that have not started after the first failure when stopOnError is set', async () => {
    const invocation = invocationOf()
    const commands = [{ command: 'echo' }, { command: 'break' }, { command: 'echo' }, { command: 'echo' }]
    const result = await batch({ commands, options: { stopOnError: true } }, invocation)
    expect(outcomes(result)).toEqual(['success', 'BROKEN', 'STEP_SKIPPED', 'STEP_SKIPPED'])
    expect(result.summary).toEqual({ total: 4, successCount: 1, failureCount: 1, skippedCount: 2 })
    expect(result.results[2]?.result.error?.message).toContain("commands[1] ('break') failed")
    expect(result.results[2]?.durationMs).toBe(0)
    expect(result.success).toBe(true)
    expect(result.warnings).toEqual([
      expect.objectContaining({ code: 'BATCH_INCOMPLETE' }),
      {
        code: 'STEP_SKIPPED',
        message: "2 of 4 commands were not run: commands[1] ('break') failed and stopOnError is set",
      },
    ])
    expect(invocation.calls).toHaveLength(2)
  })

  it('lets running entries end after another entry fails when stopOnError is set', async () => {
    vi.useFakeTimers()
    const commands = [{ command: 'wait', input: { ms: 10 } }, { command: 'break' }, { command: 'echo' }]
    const running = batch({ commands, options: { stopOnError: true, parallelism: 2 } })
    await vi.advanceTimersByTimeAsync(10)
    expect(outcomes(await running)).toEqual(['success', 'BROKEN', 'STEP_SKIPPED'])
  })
})

describe('a batch with a timeout', () => {
  it('aborts running entries at the timeout, even if they ignore their signal, and skips the rest', async () => {
    vi.useFakeTimers()
    const invocation = invocationOf()
    const commands = [{ command: 'echo' }, { command: 'hang' }, { command: 'heed' }, { command: 'echo' }]
    // Two workers: the first takes echo and heed, the second hang.
    const running = batch({ commands, options: { timeout: 50, parallelism: 2 } }, invocation)
    await vi.advanceTimersByTimeAsync(50)
    const result = await running
    expect(outcomes(result)).toEqual(['success', 'BATCH_TIMEOUT', 'BATCH_TIMEOUT', 'STEP_SKIPPED'])
    expect(result.results[1]?.result.error?.message).toBe(
      'The batch did not finish within 50 ms; this command was stopped',
    )
    expect(result.results[1]?.durationMs).toBe(50)
    expect(result.summary).toEqual({ total: 4, successCount: 1, failureCount: 2, skippedCount: 1 })
    expect(result.warnings).toEqual([
      expect.objectContaining({ code: 'BATCH_INCOMPLETE' }),
      { code: 'BATCH_TIMEOUT', message: '1 of 4 commands was not run: the batch did not finish within 50 ms' },
    ])
  })

  it('starts no further entry after the timeout when commands block the event loop', async () => {
    // Moves the clock without letting a timer fire, as a command that blocks the process does.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    const block = async () => {
      clock.mockReturnValue(100)
      return success(null)
    }
    const result = await batch(
      { commands: [{ command: 'block' }, { command: 'echo' }], options: { timeout: 50 } },
      invocationOf({ block }),
    )
    expect(outcomes(result)).toEqual(['success', 'STEP_SKIPPED'])
  })

  it('leaves no timer behind, and accepts a timeout that is too long for a timer of Node', async () => {
    vi.useFakeTimers()
    const result = await batch({ commands: [{ command: 'echo' }], options: { timeout: 1e12 } })
    expect(result.success).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a batch that is cancelled', () => {
  it('ends at once: running entries are CANCELLED, the rest is skipped', async () => {
    const invocation = invocationOf()
    const running = batch({ commands: [{ command: 'hang' }, { command: 'echo' }] }, invocation)
    invocation.cancel()
    const result = await running
    expect(outcomes(result)).toEqual(['CANCELLED', 'STEP_SKIPPED'])
    expect(result.success).toBe(false)
    expect(result.warnings?.[0]).toMatchObject({ code: 'CANCELLED' })
  })

  it('runs no command when it is cancelled before it begins', async () => {
    const invocation = invocationOf()
    invocation.cancel()
    const result = await batch({ commands: [{ command: 'echo' }] }, invocation)
    expect(invocation.calls).toEqual([])
    expect(result).toMatchObject({ success: false, confidence: 0, timing: { averageMs: 0 } })
  })
})

async function refusal(request: unknown, invocation: Invocation = invocationOf()): Promise<string> {
  const result = await runBatch(request, invocation)
  expect(result).toMatchObject({ success: false, error: { code: 'INVALID_BATCH_REQUEST' } })
  return result.error?.message ?? ''
}

describe('the check of a batch request', () => {
  it.each([
    ['a number instead of an object', 5, 'Input: expected object, received number'],
    ['no commands', {}, "Required field 'commands' is missing"],
    ['commands that are not a list', { commands: 'echo' }, "Field 'commands': expected array"],
    ['an empty list', { commands: [] }, "Field 'commands': Too small"],
    ['an entry without a command', { commands: [{ command: 'a' }, {}] }, "'commands[1].command' is missing"],
    ['an entry with an empty command', { commands: [{ command: '' }] }, "'commands[0].command'"],
    ['an entry that is not an object', { commands: ['echo'] }, "Field 'commands[0]': expected object, received string"],
    [
      'an input that is not an object',
      { commands: [{ command: 'a', input: [1] }] },
      "'commands[0].input': expected an object",
    ],
    ['an unknown field', { commands: [{ command: 'a', params: {} }] }, "Unknown field 'commands[0].params'"],
    ['an unknown option', { commands: [{ command: 'a' }], options: { retries: 1 } }, "Unknown field 'options.retries'"],
    ['a timeout of 0', { commands: [{ command: 'a' }], options: { timeout: 0 } }, "Field 'options.timeout'"],
    [
      'a parallelism of 0',
      { commands: [{ command: 'a' }], options: { parallelism: 0 } },
      "Field 'options.parallelism'",
    ],
    [
      'a parallelism above the limit',
      { commands: [{ command: 'a' }], options: { parallelism: 17 } },
      "Field 'options.parallelism'",
    ],
    [
      'the same id twice',
      {
        commands: [
          { id: 'x', command: 'a' },
          { id: 'x', command: 'b' },
        ],
      },
      "'commands[1].id': 'x' is already the id of commands[0]",
    ],
  ])('refuses a malformed batch and names the entry and the field: %s', async (_case, request, words) => {
    const invocation = invocationOf()
    expect(await refusal(request, invocation)).toContain(words)
    expect(invocation.calls).toEqual([])
  })

  it('refuses a batch of more than 100 entries and names their number', async () => {
    const entries = (length: number) => ({ commands: Array.from({ length }, () => ({ command: 'echo' })) })
    expect(await refusal(entries(101))).toContain('has 101 entries, but at most 100 are allowed')
    expect(await runBatch(entries(100), invocationOf())).toMatchObject({ summary: { successCount: 100 } })
  })

  it('refuses the whole batch before anything runs when one entry is a built-in', async () => {
    const invocation = invocationOf()
    const request = { commands: [{ command: 'echo' }, { command: 'afd-call' }] }
    expect(await refusal(request, invocation)).toContain(
      "'commands[1].command': 'afd-call' is a built-in and cannot run inside afd-batch",
    )
    const renamed = await runBatch(request, invocation, 'my-batch')
    expect(renamed.error?.message).toContain('inside my-batch')
    expect(invocation.calls).toEqual([])
  })

  it('names at most ten problems and counts the others', async () => {
    expect(await refusal({ commands: Array.from({ length: 13 }, () => ({})) })).toMatch(/; and 3 more$/)
  })
})
