import { afterEach, describe, expect, it, vi } from 'vitest'
import { fail } from '../../core/errors.ts'
import { failure } from '../../core/result.ts'
import { invocationOf } from '../batch.fixture.ts'
import { type PipeInvocation, type PipeResult, runPipe } from './pipe.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function pipe(request: unknown, invocation: PipeInvocation = invocationOf()): Promise<PipeResult> {
  const result = await runPipe(request, invocation)
  if (!('steps' in result)) throw new Error(result.error.message)
  return result
}

const give = (value: unknown, rest: object = {}) => ({ command: 'give', input: { value }, ...rest })
const statuses = ({ steps }: PipeResult) => steps.map(({ status, error }) => error?.code ?? status)

describe('a pipe', () => {
  it('passes the data of earlier steps to later steps, and returns the data of the last step', async () => {
    const invocation = invocationOf()
    const result = await pipe(
      {
        input: { n: 4 },
        steps: [
          { command: 'double', input: { n: '$input.n' }, as: 'twice' },
          { command: 'double', input: '$prev' },
          give({ all: ['$first.n', '$steps[1].n', '$twice.n', '$steps.twice.n'] }),
        ],
      },
      invocation,
    )
    expect(invocation.calls.map(([, input]) => input)).toEqual([{ n: 4 }, { n: 8 }, { value: { all: [8, 16, 8, 8] } }])
    expect(result).toEqual({
      success: true,
      data: { all: [8, 16, 8, 8] },
      metadata: {
        confidence: 1,
        confidenceBreakdown: [
          { step: 0, alias: 'twice', command: 'double', confidence: 1 },
          { step: 1, command: 'double', confidence: 1 },
          { step: 2, command: 'give', confidence: 1 },
        ],
        reasoning: [],
        warnings: [],
        sources: [],
        alternatives: [],
        executionTimeMs: expect.any(Number),
        completedSteps: 3,
        totalSteps: 3,
      },
      steps: [
        {
          index: 0,
          alias: 'twice',
          command: 'double',
          status: 'success',
          data: { n: 8 },
          executionTimeMs: expect.any(Number),
        },
        { index: 1, command: 'double', status: 'success', data: { n: 16 }, executionTimeMs: expect.any(Number) },
        {
          index: 2,
          command: 'give',
          status: 'success',
          data: { all: [8, 16, 8, 8] },
          executionTimeMs: expect.any(Number),
        },
      ],
    })
  })

  it('a pipe without steps succeeds without data', async () => {
    const { success, data, steps, metadata } = await pipe({ steps: [] })
    expect({ success, data, steps }).toEqual({ success: true, data: null, steps: [] })
    expect(metadata).toMatchObject({ confidence: 1, completedSteps: 0, totalSteps: 0 })
  })

  it('a step without input gets {}, and an input sent as JSON text is decoded', async () => {
    const invocation = invocationOf()
    await pipe({ steps: [{ command: 'echo' }, { command: 'echo', input: '{"was":"$prev"}' }] }, invocation)
    expect(invocation.calls).toEqual([
      ['echo', {}],
      ['echo', { was: {} }],
    ])
  })
})

describe('a pipe with a step that fails', () => {
  it('skips the steps after a failed step and gives the reason', async () => {
    const invocation = invocationOf({
      break: async () =>
        failure({ code: 'BROKEN', message: 'It broke', details: { why: 'rust' } }, { reasoning: 'Bent' }),
    })
    const result = await pipe({ steps: [give(1), { command: 'break', as: 'bad' }, give(2), give('$bad')] }, invocation)
    expect(statuses(result)).toEqual(['success', 'BROKEN', 'STEP_SKIPPED', 'STEP_SKIPPED'])
    expect(result.steps.map(({ status }) => status)).toEqual(['success', 'failure', 'skipped', 'skipped'])
    expect(result.steps[3]?.error?.message).toContain("step 1 ('break') failed")
    expect(result).toMatchObject({
      success: false,
      data: 1,
      error: { code: 'BROKEN', message: 'It broke', details: { why: 'rust', step: 1 } },
      metadata: { completedSteps: 1, totalSteps: 4, reasoning: [{ stepIndex: 1, reasoning: 'Bent' }] },
    })
    expect(result.steps[1]?.error?.details).toEqual({ why: 'rust' })
    expect(invocation.calls).toHaveLength(2)
  })

  it('runs the other steps with continueOnFailure, but the pipe fails', async () => {
    const steps = [give(1), { command: 'break', as: 'bad' }, give(3), give('$bad.id'), give('$prev'), give('$steps[2]')]
    const result = await pipe({ steps, options: { continueOnFailure: true } })
    expect(statuses(result)).toEqual([
      'success',
      'BROKEN',
      'success',
      'INVALID_PIPE_REFERENCE',
      'INVALID_PIPE_REFERENCE',
      'success',
    ])
    expect(result.steps[3]?.error?.message).toBe("Step 3: '$bad.id' has no value: step 1 ('break') failed")
    expect(result).toMatchObject({ success: false, data: 3, error: { code: 'BROKEN', details: { step: 1 } } })
  })

  it('fails a step when its reference has no value in the data', async () => {
    const invocation = invocationOf()
    const result = await pipe({ steps: [give({ id: 1 }), give({ deep: ['$prev.name'] })] }, invocation)
    expect(result.error).toMatchObject({
      code: 'INVALID_PIPE_REFERENCE',
      message: "Step 1: '$prev.name' has no value at $prev.name: $prev is an object with 'id'",
      details: { step: 1 },
    })
    expect(invocation.calls).toHaveLength(1)
  })

  it('has null as data and 0 as confidence when its only step fails', async () => {
    const result = await pipe({ steps: [{ command: 'break' }] })
    expect(result).toMatchObject({ success: false, data: null, metadata: { confidence: 0, confidenceBreakdown: [] } })
  })

  it('fails a step when its command does not exist', async () => {
    expect(statuses(await pipe({ steps: [{ command: 'nosuch' }] }))).toEqual(['COMMAND_NOT_FOUND'])
  })
})

describe('a pipe with a command that cannot be called', () => {
  const callable = new Set(['give', 'echo', 'break'])
  const knowing = () => {
    const refusal = (name: string) =>
      callable.has(name)
        ? undefined
        : fail('COMMAND_NOT_FOUND', { name, similar: ['give'], discover: 'afd-discover' }, { details: { similar: [] } })
    return { ...invocationOf(), refusal }
  }

  it('runs no step when one command cannot be called, and names the step and the reason', async () => {
    const invocation = knowing()
    const off = { when: { $exists: '$steps[1].id' } }
    const steps = [give(1), { command: 'break' }, give('$prev'), { command: 'gvie', ...off }, { command: 'tkae' }]
    const result = await pipe({ steps }, invocation)
    expect(invocation.calls).toEqual([])
    expect(statuses(result)).toEqual([
      'STEP_SKIPPED',
      'STEP_SKIPPED',
      'STEP_SKIPPED',
      'COMMAND_NOT_FOUND',
      'COMMAND_NOT_FOUND',
    ])
    expect(result.steps[0]?.error?.message).toBe("Not run: step 3 ('gvie') cannot run")
    expect(result).toMatchObject({
      success: false,
      data: null,
      error: {
        code: 'COMMAND_NOT_FOUND',
        message: "No command named 'gvie'",
        suggestion: expect.stringContaining("'give'"),
        details: { similar: [], step: 3 },
      },
      metadata: { confidence: 0, completedSteps: 0, totalSteps: 5 },
    })
  })

  it('runs the other steps with continueOnFailure, and reports the step that cannot run as failed', async () => {
    const invocation = knowing()
    const steps = [give(1), { command: 'gvie' }, give('$first'), give('$prev', { when: { $exists: '$steps[1]' } })]
    const result = await pipe({ steps, options: { continueOnFailure: true } }, invocation)
    expect(statuses(result)).toEqual(['success', 'COMMAND_NOT_FOUND', 'success', 'skipped'])
    expect(result).toMatchObject({
      success: false,
      data: 1,
      error: { code: 'COMMAND_NOT_FOUND', details: { step: 1 } },
      metadata: { completedSteps: 2, totalSteps: 4 },
    })
  })

  it('runs all steps when every command can be called', async () => {
    expect(statuses(await pipe({ steps: [give(1), give('$prev')] }, knowing()))).toEqual(['success', 'success'])
  })
})

describe('a pipe with conditions', () => {
  it('skips a step without an error when its condition is false, and the pipe succeeds', async () => {
    const no = { when: { $eq: ['$first', 2] } }
    const result = await pipe({
      steps: [give(1), give(2, { ...no, as: 'off' }), give('$prev', { when: { $eq: ['$prev', 1] } })],
    })
    expect(result.steps[1]).toEqual({ index: 1, alias: 'off', command: 'give', status: 'skipped', executionTimeMs: 0 })
    expect(result).toMatchObject({ success: true, data: 1, metadata: { completedSteps: 2, totalSteps: 3 } })
  })

  it('finds no value in a skipped step: $exists is false, and a step that uses the value fails', async () => {
    const off = give(2, { as: 'off', when: { $not: { $exists: '$first' } } })
    const result = await pipe({ steps: [give(1), off, give('$off', { when: { $exists: '$off' } }), give('$off')] })
    expect(statuses(result)).toEqual(['success', 'skipped', 'skipped', 'INVALID_PIPE_REFERENCE'])
    expect(result.error?.message).toBe("Step 3: '$off' has no value: step 1 ('give') was skipped")
  })

  it('fails a step when its condition refers to a value that the data does not have', async () => {
    const result = await pipe({ steps: [give({ id: 1 }), give(2, { when: { $eq: ['$prev.status', 'open'] } })] })
    expect(result.error).toMatchObject({ code: 'INVALID_PIPE_REFERENCE', details: { step: 1 } })
  })

  it('runs a step as a fallback for a failed one', async () => {
    const steps = [{ command: 'break', as: 'main' }, give('spare', { when: { $not: { $exists: '$main' } } })]
    expect((await pipe({ steps, options: { continueOnFailure: true } })).data).toBe('spare')
  })
})

describe('a pipe that must end early', () => {
  it.each(['hang', 'heed'])('aborts the running step (%s) after timeoutMs and skips the rest', async (command) => {
    vi.useFakeTimers()
    const running = pipe({
      steps: [give(1), { command }, give(2)],
      options: { timeoutMs: 50, continueOnFailure: true },
    })
    await vi.advanceTimersByTimeAsync(50)
    const result = await running
    expect(statuses(result)).toEqual(['success', 'PIPELINE_TIMEOUT', 'PIPELINE_TIMEOUT'])
    expect(result.steps.map(({ status }) => status)).toEqual(['success', 'failure', 'skipped'])
    expect(result.steps[1]?.executionTimeMs).toBe(50)
    expect(result).toMatchObject({
      success: false,
      data: 1,
      error: {
        code: 'PIPELINE_TIMEOUT',
        message: 'The pipe did not finish within 50 ms; this step has no result',
        details: { step: 1 },
      },
      metadata: { executionTimeMs: 50 },
    })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends at once when the caller cancels', async () => {
    const invocation = invocationOf()
    const running = pipe({ steps: [{ command: 'hang' }, give(2)] }, invocation)
    invocation.cancel()
    const result = await running
    expect(statuses(result)).toEqual(['CANCELLED', 'STEP_SKIPPED'])
    expect(result.steps.map(({ status }) => status)).toEqual(['failure', 'skipped'])
    expect(result.error).toMatchObject({ code: 'CANCELLED', details: { step: 0 } })
  })

  it('a pipe that is cancelled before it begins runs nothing and fails', async () => {
    const invocation = invocationOf()
    invocation.cancel()
    const result = await pipe({ steps: [give(1)] }, invocation)
    expect(invocation.calls).toEqual([])
    expect(result).toMatchObject({ success: false, steps: [{ status: 'skipped' }], error: { code: 'STEP_SKIPPED' } })
  })
})
