import type { CallToolResult } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { encodeResult, MAX_RESULT_BYTES, proxiedAnswer, soundResult } from './encode-result.ts'
import { type CommandResult, failure, success } from './result.ts'

const image = (data: string) => ({ type: 'image', data, mimeType: 'image/png' }) as const
const wire: CallToolResult = { content: [{ type: 'text', text: 'hello' }] }
/** An invalid result that only plain JavaScript code can return. */
const odd = (result: object): CommandResult => ({ success: true, data: undefined, ...result })

const reasonOf = (result: CommandResult) => {
  const { isSound, body } = encodeResult('order-get', result)
  return isSound ? undefined : `${body.error?.code}: ${body.error?.message}`
}

describe('encodeResult', () => {
  const half = 'x'.repeat(MAX_RESULT_BYTES / 2)

  it('counts the bytes of the body and of the content as the size of a result', () => {
    const { bytes, json } = encodeResult('order-get', success('ä', { content: [image('AAAA')] }))
    expect(bytes).toBe(Buffer.byteLength(json) + JSON.stringify([image('AAAA')]).length)
    const broken = encodeResult('order-get', success(1n))
    expect(broken.bytes).toBe(Buffer.byteLength(broken.json))
  })

  it.each([
    ['a body', success(half + half)],
    ['content', success(null, { content: [image(half), image(half)] })],
    ['both together', success(half, { content: [image(half)] })],
  ])(
    'refuses a result above the size limit with an INVALID_RESULT error that names the size and the limit: %s',
    (_what, result) => {
      expect(reasonOf(result)).toMatch(
        new RegExp(
          `^INVALID_RESULT: 'order-get' ran, .* it is 67108\\d\\d\\d bytes long; at most ${MAX_RESULT_BYTES} are sent`,
        ),
      )
    },
  )

  it('keeps the answer of another server out of the encoded body', () => {
    expect(encodeResult('read', success('hello', { wire })).body).toEqual({ success: true, data: 'hello' })
  })

  it('accepts a result just below the size limit', () => {
    expect(reasonOf(success('x'.repeat(MAX_RESULT_BYTES - 100)))).toBeUndefined()
  })

  it('refuses a result that is too long for a JavaScript string with an error that names the limit', () => {
    const data = Array.from({ length: 600 }, () => 'x'.repeat(1_000_000))
    expect(reasonOf(success(data))).toContain(`at most ${MAX_RESULT_BYTES} bytes`)
  })
})

describe('encodeResult for data with an endless toJSON', () => {
  it('refuses data if its toJSON returns a list that contains the data', () => {
    const again = { toJSON: () => [again] }
    expect(reasonOf(success(again))).toContain('INVALID_RESULT')
  })
})

describe('encodeResult for a result with its own toJSON', () => {
  it.each([
    ['a list', () => [1]],
    ['a text', () => 'done'],
    ['nothing', () => undefined],
    ['an object', () => ({ success: false })],
  ])('refuses a result with a toJSON method, for any value that the method returns: %s', (_what, toJSON) => {
    expect(reasonOf(odd({ data: 1, toJSON }))).toContain('it has a toJSON of its own')
  })

  it('accepts a result with a field named toJSON that is not a function, and data with a toJSON method', () => {
    expect(reasonOf(odd({ data: new Date(0), toJSON: 'text' }))).toBeUndefined()
  })
})

describe('soundResult and proxiedAnswer', () => {
  it('proxiedAnswer returns undefined for a result of a local command', () => {
    expect(proxiedAnswer('read', success(1))).toBeUndefined()
  })

  it('passes the answer of another server on unchanged, and keeps the same result object', () => {
    const result = success('hello', { wire })
    expect(proxiedAnswer('read', result)).toEqual({ ok: true, wire, json: JSON.stringify(wire) })
    expect(soundResult('read', result)).toBe(result)
    const failed = failure({ code: 'X', message: 'y' }, { wire: { ...wire, isError: true } })
    expect(soundResult('read', failed)).toBe(failed)
  })

  it('encodes the answer again if it was changed in place and soundResult gets the same result again', () => {
    const answer = { content: [{ type: 'text' as const, text: 'first' }] }
    const result = success('first', { wire: answer })
    soundResult('order-get', result)
    answer.content = [{ type: 'text', text: 'second' }]
    soundResult('order-get', result)
    expect(proxiedAnswer('order-get', result)).toMatchObject({ json: JSON.stringify(answer) })
  })

  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  it.each([
    ['a text', 'hello'],
    ['null', null],
    ['a list', [wire]],
    ['an object without content', {}],
    ['content that is not a list', { content: 'hello' }],
    ['a block without a type', { content: [{ text: 'hello' }] }],
    ['a block of an unknown type', { content: [{ type: 'hologram' }] }],
    ['an isError that is not a boolean', { ...wire, isError: 'no' }],
    ['a request for input', { ...wire, resultType: 'input_required' }],
    ['a cycle', { ...wire, _meta: cyclic }],
    ['a bigint', { ...wire, structuredContent: { id: 1n } }],
    ['nesting deeper than any stack', { ...wire, structuredContent: { deep: nested(100_000) } }],
    ['a toJSON method', { ...wire, toJSON: () => wire }],
  ])('refuses an answer of another server that is or contains %s', (_what, given) => {
    const result = odd({ data: 1, wire: given })
    expect(soundResult('read', result)).toMatchObject({ success: false, error: { code: 'INVALID_RESULT' } })
    expect(proxiedAnswer('read', result)).toMatchObject({ ok: false, refused: { error: { code: 'INVALID_RESULT' } } })
  })

  it('blames the server of the tool for an answer that cannot be used, and not the handler of a command', () => {
    const result = success(null, { wire: { content: [image('no base64!')] } })
    const suggestion =
      'The server of the tool is at fault, not the arguments; do not repeat a call that changes something.'
    const error = {
      message: "'read' ran, but its answer cannot be used: it is not a valid MCP tool result",
      suggestion,
    }
    expect(soundResult('read', result, true)).toMatchObject({ error })
    expect(proxiedAnswer('read', result)).toMatchObject({ refused: { error } })
  })

  it('refuses an answer of another server above the size limit', () => {
    const large: CallToolResult = { content: [{ type: 'text', text: 'x'.repeat(MAX_RESULT_BYTES) }] }
    expect(soundResult('read', success('x', { wire: large })).error?.message).toContain(`${MAX_RESULT_BYTES} are sent`)
  })
})

function nested(depth: number): unknown {
  let value: unknown = 'bottom'
  for (let i = 0; i < depth; i++) value = [value]
  return value
}
