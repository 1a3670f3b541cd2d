import { describe, expect, it } from 'vitest'
import { soundResult } from '../../core/encode-result.ts'
import { toResult } from './to-result.ts'

const text = (...texts: readonly string[]) => ({ content: texts.map((one) => ({ type: 'text', text: one })) })
const dataOf = (answer: unknown) => toResult('s', 't', answer).data

describe('the result of an upstream tool', () => {
  it('uses the structured content of the server as its data', () => {
    expect(dataOf({ ...text('other'), structuredContent: { a: 1 } })).toEqual({ a: 1 })
    expect(dataOf({ content: [], structuredContent: null })).toBeNull()
  })

  it.each([
    ['an object', '{"a":1}', { a: 1 }],
    ['a list over lines', '[\n  1\n]', [1]],
    ['a number', ' 42 ', 42],
    ['a number that JavaScript cannot represent', '12345678901234567890', '12345678901234567890'],
    ['a boolean', 'true', true],
    ['prose', 'It is {done}', 'It is {done}'],
    ['an empty text', '', ''],
  ])('uses parsed JSON of a single text as its data, otherwise the text: %s', (_, sent, data) => {
    expect(dataOf(text(sent))).toEqual(data)
  })

  it.each([1_000, 200_000])('keeps JSON with %d levels as text, because it could not be sent otherwise', (depth) => {
    const answer = text('['.repeat(depth) + ']'.repeat(depth))
    const result = toResult('s', 't', answer)
    expect(result.data).toBe(answer.content[0]?.text)
    expect(
      soundResult('t', { ...result, wire: { content: [], structuredContent: { result: result.data } } }).success,
    ).toBe(true)
  })

  it.each([
    ['structured content', (deep: unknown) => ({ ...text('x'), structuredContent: { deep } })],
    ['a block', (deep: unknown) => ({ content: [{ type: 'text', text: 'x', _meta: { deep } }] })],
    ['another field', (deep: unknown) => ({ ...text('x'), deep })],
  ])('fails if %s nests too deep to be sent, and does not throw', (_what, answerWith) => {
    const deep: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000))
    expect(toResult('s', 't', answerWith(deep))).toMatchObject({
      success: false,
      error: { code: 'INVALID_RESULT', message: expect.stringContaining('nests deeper than') },
    })
  })

  it('uses all texts as its data, or null if there are none', () => {
    expect(dataOf(text('{"a":1}', 'two'))).toBe('{"a":1}\ntwo')
    expect(dataOf({ content: [{ type: 'image', data: '', mimeType: 'image/png' }] })).toBeNull()
    expect(dataOf({})).toBeNull()
  })

  it('keeps the original answer, and blocks other than text next to the data', () => {
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png', annotations: { priority: 1 }, later: true }
    const answer = { content: [{ type: 'text', text: 'see' }, image], _meta: { a: 1 }, later: 'kept' }
    expect(toResult('s', 't', answer)).toEqual({ success: true, data: 'see', content: [image], wire: answer })
  })

  it("removes the gateway's own handle field from the answer of a server", () => {
    const answer = {
      ...text('a'),
      _meta: { a: 1, 'toolcrib/result': { handle: 'theirs', nextOffset: 1, totalChars: 9 } },
    }
    expect(toResult('s', 't', answer).wire).toEqual({ ...text('a'), _meta: { a: 1 } })
    expect(toResult('s', 't', { ...answer, isError: true }).wire?._meta).toEqual({ a: 1 })
  })

  it('fails with the message of the tool when the server sets isError', () => {
    const answer = { ...text('No such repo.', 'Try another.'), isError: true }
    const result = toResult('github', 'create_issue', answer)
    expect(result).toMatchObject({
      success: false,
      error: {
        code: 'TOOL_EXECUTION_ERROR',
        message: 'No such repo.\nTry another.',
        details: { server: 'github', tool: 'create_issue' },
      },
      wire: answer,
    })
    expect(toResult('s', 't', { content: [], isError: true }).error?.message).toBe("'t' failed and gave no reason")
  })

  it('uses the message of an error in our own format instead of its JSON', () => {
    const structuredContent = {
      success: false,
      error: { code: 'X', message: 'No such repo', suggestion: 'Try another.' },
    }
    const result = toResult('s', 't', { ...text(JSON.stringify(structuredContent)), structuredContent, isError: true })
    expect(result.error?.message).toBe('No such repo\nTry another.')
    const other = { error: 'text' }
    expect(toResult('s', 't', { ...text('plain'), structuredContent: other, isError: true }).error?.message).toBe(
      'plain',
    )
  })

  it('limits the length of an error message', () => {
    const result = toResult('s', 't', { ...text('x'.repeat(100_000)), isError: true })
    expect(result.error?.message.length).toBeLessThanOrEqual(2_000)
  })

  it.each([[undefined], ['text'], [[]], [{ content: 'x' }], [{ content: [1] }], [{ content: [{ text: 'no type' }] }]])(
    'fails when the answer of a server is %j',
    (answer) => {
      expect(toResult('s', 't', answer)).toMatchObject({ success: false, error: { code: 'INVALID_RESULT' } })
    },
  )
})
