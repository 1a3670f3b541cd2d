import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure, isCommandResult, isFailure, isSuccess, success, withMetadata } from './result.ts'

describe('success and failure', () => {
  it('success and failure contain only their data or their error by default', () => {
    expect(success({ id: 1 })).toEqual({ success: true, data: { id: 1 } })
    expect(failure({ code: 'GONE', message: 'No such order' })).toEqual({
      success: false,
      error: { code: 'GONE', message: 'No such order' },
    })
  })

  it('failure keeps the known fields of an Error, and uses the name of the Error if its message is empty', () => {
    expect(failure(new Error('boom'))).toEqual({
      success: false,
      error: { code: 'COMMAND_EXECUTION_ERROR', message: 'boom' },
    })
    const gone = Object.assign(new Error('No such file', { cause: 'unlinked' }), {
      code: 'ENOENT',
      suggestion: 'Create it',
      retryable: false,
      details: { path: 'a.txt' },
      secret: 'not for the client',
    })
    expect(failure(gone, { confidence: 0.5 })).toEqual({
      success: false,
      error: {
        code: 'ENOENT',
        message: 'No such file',
        suggestion: 'Create it',
        retryable: false,
        details: { path: 'a.txt' },
        cause: 'unlinked',
      },
      confidence: 0.5,
    })
    expect(failure(new TypeError('')).error.message).toBe('TypeError')
  })

  it('success and failure keep confidence, reasoning and warnings next to the data or the error', () => {
    const extras = { confidence: 0.9, reasoning: 'found by id', warnings: [{ code: 'OLD', message: 'stale' }] }
    expect(success(1, extras)).toEqual({ success: true, data: 1, ...extras })
    expect(failure({ code: 'X', message: 'y' }, extras)).toMatchObject(extras)
  })

  it('success keeps content blocks next to the data', () => {
    const content = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] as const
    expect(success(null, { content })).toEqual({ success: true, data: null, content })
  })
})

describe('isSuccess and isFailure', () => {
  it('isSuccess and isFailure distinguish a success from a failure', () => {
    const good = success('data')
    const bad = failure({ code: 'X', message: 'y' })
    expect([isSuccess(good), isFailure(good), isSuccess(bad), isFailure(bad)]).toEqual([true, false, false, true])
  })

  it('isSuccess and isFailure narrow the type, so that data and error need no check', () => {
    const result = success({ id: 7 })
    const broken = failure({ code: 'X', message: 'y' })
    expect(isSuccess(result) && result.data.id).toBe(7)
    expect(isFailure(broken) && broken.error.code).toBe('X')
  })
})

describe('isCommandResult', () => {
  it('accepts every result that success and failure build', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), fc.string(), (data, code, message) => {
        expect(isCommandResult(success(data))).toBe(true)
        expect(isCommandResult(failure({ code, message }))).toBe(true)
      }),
    )
  })

  it('accepts a success without data', () => {
    expect(isCommandResult({ success: true })).toBe(true)
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'done'],
    ['an array', [{ success: true }]],
    ['an object without a success field', { data: 1 }],
    ['a success that is only truthy', { success: 'true' }],
    ['a failure without an error', { success: false }],
    ['a failure with the error null', { success: false, error: null }],
    ['a failure with a string as its error', { success: false, error: 'boom' }],
    ['an error without a code', { success: false, error: { message: 'boom' } }],
    ['an error with a number as its message', { success: false, error: { code: 'X', message: 5 } }],
  ])('does not accept %s as a result', (_, value) => {
    expect(isCommandResult(value)).toBe(false)
  })

  it('returns a boolean for any value without throwing', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (value) => typeof isCommandResult(value) === 'boolean'),
    )
  })
})

describe('withMetadata', () => {
  it('adds metadata to a result', () => {
    expect(withMetadata(success(1), { executionTimeMs: 4 }).metadata).toEqual({ executionTimeMs: 4 })
  })

  it('keeps the metadata that the command set', () => {
    const result = success(1, { metadata: { traceId: 'own', rows: 3 } })
    expect(withMetadata(result, { traceId: 'ours', executionTimeMs: 4 }).metadata).toEqual({
      traceId: 'own',
      rows: 3,
      executionTimeMs: 4,
    })
  })

  it('does not change the given result', () => {
    const result = Object.freeze(success(1, { metadata: Object.freeze({ rows: 3 }) }))
    withMetadata(result, { executionTimeMs: 4 })
    expect(result).toEqual({ success: true, data: 1, metadata: { rows: 3 } })
  })
})
