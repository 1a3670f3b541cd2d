import { describe, expect, it } from 'vitest'
import { invocationOf } from '../batch.fixture.ts'
import { runPipe } from './pipe.ts'

/** The error of a pipe that was refused before any step ran. */
async function refusal(request: unknown, name?: string) {
  const invocation = invocationOf()
  const result = await runPipe(request, invocation, name)
  expect(result).not.toHaveProperty('steps')
  expect(invocation.calls).toEqual([])
  return result.error
}

const nested = (levels: number, leaf: unknown): unknown => (levels === 0 ? leaf : { a: nested(levels - 1, leaf) })

describe('the check of a pipe request', () => {
  it.each([
    ['that is not an object', 'echo', '', 'Input: expected object'],
    ['without steps', {}, 'steps', "Required field 'steps' is missing"],
    ['with a step that is not an object', { steps: ['echo'] }, 'steps[0]', 'expected object'],
    ['with a step without a command', { steps: [{ command: 'echo' }, {}] }, 'steps[1].command', 'is missing'],
    ['with an unknown field', { steps: [{ command: 'echo', params: {} }] }, 'steps[0].params', 'Unknown field'],
    ['with an unknown option', { steps: [], options: { timeout: 5 } }, 'options.timeout', 'Unknown field'],
    ['with a timeout of 0', { steps: [], options: { timeoutMs: 0 } }, 'options.timeoutMs', 'Too small'],
    [
      'with an input that is a list',
      { steps: [{ command: 'echo', input: [] }] },
      'steps[0].input',
      'expected an object',
    ],
    [
      'with an input that is text',
      { steps: [{ command: 'echo', input: 'x' }] },
      'steps[0].input',
      'expected an object',
    ],
    ['with a reserved alias', { steps: [{ command: 'echo', as: 'prev' }] }, 'steps[0].as', 'is a reserved word'],
    [
      'with an alias that contains a space',
      { steps: [{ command: 'echo', as: 'a b' }] },
      'steps[0].as',
      'is not a valid alias',
    ],
    ['with an empty alias', { steps: [{ command: 'echo', as: '' }] }, 'steps[0].as', 'is not a valid alias'],
    [
      'with the same alias twice',
      {
        steps: [
          { command: 'echo', as: 'a' },
          { command: 'echo', as: 'a' },
        ],
      },
      'steps[1].as',
      "'a' is already the alias of step 0",
    ],
    [
      'with a malformed condition',
      { steps: [{ command: 'echo' }, { command: 'echo', when: { $like: ['$prev', 1] } }] },
      'steps[1].when',
      "unknown operator '$like'",
    ],
    ['with null as a condition', { steps: [{ command: 'echo', when: null }] }, 'steps[0].when', 'expected a condition'],
  ])('refuses a pipe %s', async (_case, request, path, words) => {
    const error = await refusal(request)
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining("Invalid input for 'afd-pipe': "),
      suggestion: expect.stringContaining('"steps"'),
    })
    expect(error?.details?.issues).toEqual([{ path, message: expect.stringContaining(words) }])
    expect(error?.message).toContain(path)
  })

  it('refuses a pipe with more than 100 steps and names their number', async () => {
    const steps = (length: number) => ({ steps: Array.from({ length }, () => ({ command: 'echo' })) })
    expect((await refusal(steps(101)))?.message).toContain('has 101 steps, but at most 100 are allowed')
    expect(await runPipe(steps(100), invocationOf())).toMatchObject({ success: true })
  })

  it('refuses a pipe with a built-in among its steps', async () => {
    expect(await refusal({ steps: [{ command: 'echo' }, { command: 'afd-batch' }] })).toMatchObject({
      code: 'BUILTIN_NOT_ALLOWED',
      message: expect.stringContaining('inside a pipe'),
      details: { step: 1 },
    })
  })

  it.each([
    ['an unknown alias', { value: '$nosuch' }, undefined],
    ['a later step', { value: ['$steps[2]'] }, undefined],
    ['its own step', { value: { x: '$me.id' } }, undefined],
    ['the input of a pipe without one', { value: '$input.id' }, undefined],
    ['a malformed path', { value: '$prev..id' }, undefined],
    ['an unknown alias in a condition', {}, { $and: [{ $eq: [1, '$nosuch.id'] }] }],
    ['an unknown alias in $exists', {}, { $exists: '$nosuch' }],
  ])('refuses a pipe with a reference to %s', async (_case, input, when) => {
    const step = { command: 'echo', as: 'me', input, ...(when === undefined ? {} : { when }) }
    expect(await refusal({ steps: [{ command: 'echo' }, step, { command: 'echo' }] })).toMatchObject({
      code: 'INVALID_PIPE_REFERENCE',
      message: expect.stringMatching(/^Step 1: '\$/),
      suggestion: expect.stringContaining('$$'),
      details: { step: 1 },
    })
  })

  it.each(['$prev.id', '$first'])('refuses a pipe with %s in its first step', async (reference) => {
    expect((await refusal({ steps: [{ command: 'echo', input: reference }] }))?.message).toBe(
      `Step 0: '${reference}' has no step before it to refer to`,
    )
  })

  it.each([65, 5000])('refuses a pipe with an input or a condition of %i levels', async (levels) => {
    for (const field of ['input', 'when']) {
      const error = await refusal({ steps: [{ command: 'echo', [field]: nested(levels, '$input') }] })
      expect(error?.message).toContain(`Field 'steps[0].${field}': is nested deeper than 64 levels`)
    }
  })

  it('the error of a malformed pipe has the name of the pipe tool', async () => {
    expect((await refusal({}, 'my-pipe'))?.message).toContain("'my-pipe'")
  })
})

it('accepts an input of 64 levels and a null input', async () => {
  const steps = [{ command: 'echo', input: nested(64, '$input') }]
  expect(await runPipe({ steps, input: null }, invocationOf())).toMatchObject({ success: true })
})
