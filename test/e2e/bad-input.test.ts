// Bad input and bad handlers: each call gets an answer, and the connection still works afterwards.

import { afterEach, describe, expect, it } from 'vitest'
import type { BatchResult, PipeResult } from '../../src/index.ts'
import { combinations, covers, OVER, useConnection } from './harness.ts'

const HUGE = 'x'.repeat(3 * 1024 * 1024)
const LONG_NAME = 'x'.repeat(300_000)
const MANY = Array.from({ length: 5_000 }, () => ({}))

/** Uses JSON text, because an object literal cannot have `__proto__` as an own key. */
const polluting: Record<string, unknown> = JSON.parse(
  '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}, "value": {"__proto__": {"polluted": true}}}',
)

describe.each(combinations)(OVER, (combination) => {
  const shop = useConnection({ ...combination, variant: 'trouble', strategy: 'individual' })
  const run = (command: string, input: unknown = {}) => shop.call('afd-call', { command, input })
  /** Calls the command with afd-call and with its own tool. Both must return the same failure. */
  const failureOf = async (command: string) => {
    const own = await shop.call(command)
    const called = await run(command)
    expect([own.isError, called.isError]).toEqual([true, true])
    expect(called.result.error).toEqual(own.result.error)
    return own.result.error
  }

  afterEach(async () => {
    const { result } = await shop.call('measure', { value: 'still here' })
    expect(result.data).toEqual({ type: 'string', length: 10, depth: 0, isPolluted: false })
    expect((await shop.list()).length).toBeGreaterThan(10)
  })

  describe('bad input from clients', () => {
    it.each(['no-such-tool', 'MEASURE', 'measure ', 'commands', 'constructor', '__proto__', 'toString'])(
      'the server answers a call of the unknown tool %j with an error',
      async (tool) => {
        covers('BI-1')
        const { result, isError } = await shop.call(tool)
        expect(isError).toBe(true)
        expect(result.error?.code).toBe('COMMAND_NOT_FOUND')
        expect((await run(tool)).result.error?.code).toBe('COMMAND_NOT_FOUND')
      },
    )

    it.each([
      ['measure-less', {}],
      ['strict-take', { n: '1' }],
      ['strict-take', { n: null }],
      ['strict-take', { n: [1] }],
      ['strict-take', { n: 1, extra: true }],
      ['strict-take', {}],
      ['afd-call', { command: { name: 'measure' } }],
      ['afd-call', { command: 'strict-take', input: null }],
      ['afd-call', { command: 'strict-take', input: 7 }],
      ['afd-batch', { commands: { 0: 'measure' } }],
      ['afd-batch', { commands: [null] }],
      ['afd-batch', { commands: [{ command: 'measure' }], options: 'fast' }],
      ['afd-pipe', { steps: null }],
      ['afd-pipe', { steps: [[]] }],
      ['afd-detail', { command: { length: 1 } }],
      ['afd-discover', { tag: [1] }],
      ['afd-discover', { search: {} }],
    ])('the server answers a call of %s that has the bad arguments %j with an error', async (tool, args) => {
      covers('BI-1')
      const { result, isError } = await shop.call(tool, args)
      expect(isError).toBe(true)
      expect(result.error?.code).toMatch(/^(VALIDATION_ERROR|INVALID_BATCH_REQUEST|COMMAND_NOT_FOUND)$/)
      expect(result.error?.suggestion).toMatch(/./)
    })

    it('the server accepts three megabytes of text for a text parameter', async () => {
      covers('BI-2')
      expect((await shop.call('measure', { value: HUGE })).result.data).toMatchObject({ length: HUGE.length })
      expect((await run('measure', { value: HUGE })).result.data).toMatchObject({ length: HUGE.length })
    })

    it.each([
      ['a command', 'afd-call', { command: HUGE }],
      ['a number', 'strict-take', { n: HUGE }],
      ['a key', 'strict-take', { n: 1, [HUGE]: 1 }],
      ['a list', 'afd-batch', { commands: HUGE }],
      ['a reference', 'afd-pipe', { steps: [{ command: 'measure', input: `$${HUGE}` }] }],
      ['words to search for', 'afd-discover', { search: HUGE }],
      ['a category', 'afd-discover', { category: HUGE }],
      ['a tag', 'afd-discover', { tag: [HUGE] }],
      ['the items of a list', 'list-take', { items: MANY }],
      ['unknown keys', 'strict-take', Object.fromEntries(MANY.map((_, index) => [`key${index}`, 1]))],
      ['the entries of a batch', 'afd-batch', { commands: MANY }],
      ['the steps of a pipe', 'afd-pipe', { steps: MANY }],
      ['the names of commands', 'afd-detail', { command: MANY }],
    ])('the server answers oversized input for %s with a short text', async (_, tool, args) => {
      covers('BI-2')
      const { text } = await shop.call(tool, args)
      expect(text.length).toBeLessThan(10_000)
    })

    it('the server repeats a long name in the entry of the answer but not in its error message', async () => {
      covers('BI-2')
      const { text: detail } = await shop.call('afd-detail', { command: LONG_NAME })
      const { text: batch } = await shop.call('afd-batch', { commands: [{ command: LONG_NAME }] })
      const { text: pipe } = await shop.call('afd-pipe', { steps: [{ command: LONG_NAME }] })
      for (const text of [detail, batch, pipe]) {
        expect(text.split(LONG_NAME)).toHaveLength(2)
        expect(text.length).toBeLessThan(LONG_NAME.length + 10_000)
      }
    })

    it('the server does not change prototypes for input with __proto__ and constructor keys, on any path', async () => {
      covers('BI-3')
      const requests = [
        ['measure', polluting],
        ['afd-call', { command: 'measure', input: polluting }],
        ['afd-batch', { commands: [{ command: 'measure', input: polluting }] }],
        ['afd-pipe', { steps: [{ command: 'measure', input: polluting }], input: polluting }],
        ['afd-call', JSON.parse('{"command": "measure", "__proto__": {"command": "throw-error"}}')],
        ['afd-discover', polluting],
      ] as const
      for (const [tool, args] of requests) {
        const { result } = await shop.call(tool, args)
        expect(result.error?.code ?? 'none', tool).toMatch(/^(none|VALIDATION_ERROR|INVALID_BATCH_REQUEST)$/)
      }
      const { result: pipe } = await shop.call<PipeResult>('afd-pipe', {
        steps: [{ command: 'measure', input: { value: '$input.constructor.name' } }],
        input: {},
      })
      expect(pipe.error?.code).toBe('INVALID_PIPE_REFERENCE')
      expect('polluted' in {}).toBe(false)
    })
  })

  describe('bad handlers', () => {
    it.each([
      ['throw-error', 'boom'],
      ['throw-text', 'a plain text'],
      ['throw-nothing', 'undefined'],
      ['reject-late', 'late boom'],
    ])('the server turns the error of %s into a failure without a stack', async (command, reason) => {
      covers('BI-4')
      const error = await failureOf(command)
      expect(error).toMatchObject({ code: 'COMMAND_EXECUTION_ERROR', message: `'${command}' failed: ${reason}` })
      expect(JSON.stringify(error)).not.toMatch(/trouble\.[jt]s|node:internal|\bat /)
    })

    it('the server answers TIMEOUT for a handler that never returns', async () => {
      covers('BI-5')
      const error = await failureOf('hang-forever')
      expect(error).toMatchObject({ code: 'TIMEOUT', retryable: true })
      expect(error?.message).toContain('50 ms')
    })

    it.each([
      'give-undefined',
      'give-number',
      'give-stranger',
      'give-bare-bigint',
      'give-bare-failure',
      'give-bigint',
      'give-circle',
      'give-text-blocks',
      'give-number-blocks',
      'give-strange-block',
    ])(
      'the server turns the invalid result of %s into INVALID_RESULT, for its own tool and for afd-call',
      async (command) => {
        covers('BI-6')
        const error = await failureOf(command)
        expect(error?.code).toBe('INVALID_RESULT')
        expect(error?.message).toContain(`'${command}'`)
      },
    )

    it.each(['give-bigint', 'give-circle', 'give-number', 'throw-error'])(
      'the server keeps the other results of a batch, and the earlier results of a pipe, when %s fails',
      async (command) => {
        covers('BI-6', 'BA-2', 'PI-7')
        const good = { command: 'strict-take', input: { n: 1 } }
        const { result: batch } = await shop.call<BatchResult>('afd-batch', { commands: [good, { command }, good] })
        expect(batch.results?.map(({ result }) => result.success)).toEqual([true, false, true])
        const { result: pipe } = await shop.call<PipeResult>('afd-pipe', { steps: [good, { command }, good] })
        expect(pipe.steps?.map(({ status }) => status)).toEqual(['success', 'failure', 'skipped'])
        expect(pipe.data).toEqual({ n: 1 })
      },
    )

    it('the server returns the result of a command that sends progress and logs that are not JSON', async () => {
      covers('BI-6', 'RE-4')
      const { result } = await shop.call('say-nonsense')
      expect(result).toMatchObject({ success: true, data: { said: true } })
    })

    it('the server sends a result with 5,000 levels, or INVALID_RESULT', async () => {
      covers('BI-2')
      const { result } = await shop.call('give-depth')
      expect(result.error?.code ?? 'none').toMatch(/^(none|INVALID_RESULT)$/)
    })

    it('the server sends the message of an Error in `cause`, on every path', async () => {
      covers('BI-7')
      const expected = { code: 'DISK_FULL', message: 'No room', cause: 'ENOSPC: no space left' }
      expect(await failureOf('fail-with-cause')).toEqual(expected)
      const entry = { command: 'fail-with-cause' }
      const { text: batch } = await shop.call('afd-batch', { commands: [entry] })
      const { text: pipe } = await shop.call('afd-pipe', { steps: [entry] })
      expect(JSON.parse(batch).results[0].result.error).toEqual(expected)
      expect(JSON.parse(pipe).steps[0].error).toEqual(expected)
    })
  })
})

describe.each(combinations)(`${OVER}, in devMode`, (combination) => {
  const shop = useConnection({ ...combination, variant: 'troubleInDevMode', strategy: 'individual' })

  it('the server sends the stack of an error that a handler threw, in devMode', async () => {
    covers('BI-4')
    const { result } = await shop.call('throw-error')
    expect(result.error?.details?.stack).toMatch(/^Error: boom\n {4}at /)
    expect((await shop.call('measure', { value: 1 })).result.success).toBe(true)
  })
})
