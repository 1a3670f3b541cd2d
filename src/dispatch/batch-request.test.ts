import { describe, expect, it } from 'vitest'
import { invocationOf } from './batch.fixture.ts'
import { runBatch } from './batch.ts'
import type { Invocation } from './invoke.ts'

async function refusal(request: unknown, invocation: Invocation = invocationOf()): Promise<string> {
  const result = await runBatch(request, invocation)
  expect(result).toMatchObject({ success: false, error: { code: 'INVALID_BATCH_REQUEST' } })
  return result.error?.message ?? ''
}

describe('a malformed batch', () => {
  it.each([
    ['no object', 5, 'Input: expected object, received number'],
    ['no commands', {}, "Required field 'commands' is missing"],
    ['commands that are no list', { commands: 'echo' }, "Field 'commands': expected array"],
    ['an empty list', { commands: [] }, "Field 'commands': Too small"],
    ['an entry without a command', { commands: [{ command: 'a' }, {}] }, "'commands[1].command' is missing"],
    ['an entry with an empty command', { commands: [{ command: '' }] }, "'commands[0].command'"],
    ['an entry that is no object', { commands: ['echo'] }, "Field 'commands[0]': expected object, received string"],
    [
      'an input that is no object',
      { commands: [{ command: 'a', input: [1] }] },
      "'commands[0].input': expected an object",
    ],
    ['a field that means nothing', { commands: [{ command: 'a', params: {} }] }, "Unknown field 'commands[0].params'"],
    ['an unknown option', { commands: [{ command: 'a' }], options: { retries: 1 } }, "Unknown field 'options.retries'"],
    ['no time at all', { commands: [{ command: 'a' }], options: { timeout: 0 } }, "Field 'options.timeout'"],
    ['no workers', { commands: [{ command: 'a' }], options: { parallelism: 0 } }, "Field 'options.parallelism'"],
    ['too many workers', { commands: [{ command: 'a' }], options: { parallelism: 17 } }, "Field 'options.parallelism'"],
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
  ])('is refused with the entry and the field: %s', async (_case, request, words) => {
    const invocation = invocationOf()
    expect(await refusal(request, invocation)).toContain(words)
    expect(invocation.calls).toEqual([])
  })

  it('is refused with the number of entries when there are more than 100', async () => {
    const entries = (length: number) => ({ commands: Array.from({ length }, () => ({ command: 'echo' })) })
    expect(await refusal(entries(101))).toContain('has 101 entries, at most 100')
    expect(await runBatch(entries(100), invocationOf())).toMatchObject({ summary: { successCount: 100 } })
  })

  it('is refused as a whole for one built-in in it, before anything runs', async () => {
    const invocation = invocationOf()
    const request = { commands: [{ command: 'echo' }, { command: 'afd-call' }] }
    expect(await refusal(request, invocation)).toContain(
      "'commands[1].command': 'afd-call' is a built-in and cannot run inside afd-batch",
    )
    const renamed = await runBatch(request, invocation, 'my-batch')
    expect(renamed.error?.message).toContain('inside my-batch')
    expect(invocation.calls).toEqual([])
  })

  it('names ten problems at most and counts the others', async () => {
    expect(await refusal({ commands: Array.from({ length: 13 }, () => ({})) })).toMatch(/; and 3 more$/)
  })
})
