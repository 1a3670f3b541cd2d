import { describe, expect, it } from 'vitest'
import { invocationOf } from './batch.fixture.ts'
import { runBatch } from './batch.ts'
import type { Invocation } from './bounded-run.ts'

async function refusal(request: unknown, invocation: Invocation = invocationOf()): Promise<string> {
  const result = await runBatch(request, invocation)
  expect(result).toMatchObject({ success: false, error: { code: 'INVALID_BATCH_REQUEST' } })
  return result.error?.message ?? ''
}

describe('a malformed batch', () => {
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
      'an id twice',
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
