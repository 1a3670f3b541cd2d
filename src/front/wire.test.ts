import type { CallToolResult } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CommandResult, failure, success } from '../core/result.ts'
import { toWire } from './wire.ts'

const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const

/** A value with this many nested lists. */
function nested(depth: number): unknown {
  let value: unknown = 'bottom'
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

function textOf(result: ReturnType<typeof toWire>): string {
  const [first] = result.content
  if (first?.type !== 'text') throw new Error('the first block is not text')
  return first.text
}

describe('the tool result of a command', () => {
  it('encodes a result as compact JSON text and as structuredContent', () => {
    const result = success({ id: 1, tags: ['a', 'b'] }, { confidence: 0.9, reasoning: 'found' })
    const wire = toWire('order-get', result)
    expect(textOf(wire)).toBe('{"success":true,"data":{"id":1,"tags":["a","b"]},"confidence":0.9,"reasoning":"found"}')
    expect(wire.structuredContent).toEqual(result)
    expect(wire).not.toHaveProperty('isError')
  })

  it('encodes equal text and structuredContent for any data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const wire = toWire('order-get', success(data))
        expect(textOf(wire)).toBe(JSON.stringify(wire.structuredContent))
        expect(JSON.parse(textOf(wire))).toEqual(JSON.parse(JSON.stringify({ success: true, data })))
      }),
    )
  })

  it('puts content blocks after the text and nowhere else', () => {
    const wire = toWire('photo-take', success({ width: 1 }, { content: [image, { type: 'text', text: 'a pixel' }] }))
    expect(wire.content.map((block) => block.type)).toEqual(['text', 'image', 'text'])
    expect(wire.content[1]).toEqual(image)
    expect(wire.structuredContent).toEqual({ success: true, data: { width: 1 } })
    expect(textOf(wire)).not.toContain('content')
  })

  it('marks only failures as errors', () => {
    const wire = toWire('order-get', failure({ code: 'GONE', message: 'No such order' }))
    expect(wire.isError).toBe(true)
    expect(JSON.parse(textOf(wire))).toEqual({ success: false, error: { code: 'GONE', message: 'No such order' } })
  })
})

describe('the answer of another server', () => {
  const answer: CallToolResult = {
    content: [{ type: 'text', text: 'hello' }],
    structuredContent: { a: 1 },
    _meta: { trace: 'x' },
  }

  it('sends the answer of another server unchanged', () => {
    expect(toWire('read', success({ a: 1 }, { wire: answer }))).toBe(answer)
    const said = { ...answer, isError: false }
    expect(toWire('read', success({ a: 1 }, { wire: said }))).toBe(said)
    const failed = { ...answer, isError: true }
    expect(toWire('read', failure({ code: 'X', message: 'hello' }, { wire: failed }))).toBe(failed)
  })

  it('sets isError only if the result is a failure, and ignores the isError of the other server', () => {
    expect(toWire('read', failure({ code: 'X', message: 'y' }, { wire: answer }))).toEqual({ ...answer, isError: true })
    expect(toWire('read', success(1, { wire: { ...answer, isError: true } }))).toEqual(answer)
  })

  it.each([
    ['a number', 5],
    ['without valid content blocks', { content: [5] }],
    ['not serializable as JSON', { ...answer, _meta: { id: 1n } }],
  ])('sends INVALID_RESULT when the answer of another server is %s', (_what, wire) => {
    const result = { success: true, data: 1, wire } as unknown as CommandResult // a middleware in JavaScript can do this
    const sent = toWire('read', result)
    expect(sent).toMatchObject({ isError: true, structuredContent: { error: { code: 'INVALID_RESULT' } } })
    expect(textOf(sent)).toBe(JSON.stringify(sent.structuredContent))
  })
})

describe('an Error as the cause', () => {
  it('replaces an Error as cause with its message, without its stack', () => {
    const wire = toWire(
      'order-get',
      failure({ code: 'DB', message: 'Query failed', cause: new Error('connection refused') }),
    )
    expect(JSON.parse(textOf(wire)).error.cause).toBe('connection refused')
    expect(JSON.stringify(wire)).not.toContain('wire.test.ts')
  })

  it('keeps a cause of another type', () => {
    const wire = toWire('order-get', failure({ code: 'DB', message: 'Query failed', cause: 'disk full' }))
    expect(JSON.parse(textOf(wire)).error.cause).toBe('disk full')
  })

  it('does not change the result that the handler returned', () => {
    const cause = new Error('kept')
    const result = failure({ code: 'DB', message: 'Query failed', cause })
    toWire('order-get', result)
    expect(result.error.cause).toBe(cause)
  })
})

describe('a result that is not JSON', () => {
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  const throwing = {
    toJSON() {
      throw new Error('not today')
    },
  }

  it.each([
    ['a cycle', cyclic],
    ['a bigint', { id: 1n }],
    ['nesting deeper than the stack', nested(100_000)],
    ['a toJSON that throws', throwing],
  ])('turns data with %s into INVALID_RESULT with the reason', (_what, data) => {
    const wire = toWire('order-get', success(data))
    expect(wire.isError).toBe(true)
    expect(JSON.parse(textOf(wire))).toMatchObject({ success: false, error: { code: 'INVALID_RESULT' } })
    expect(textOf(wire)).toContain("'order-get' ran, but its answer cannot be used: it is not JSON")
    expect(textOf(wire).length).toBeLessThan(1_000)
  })

  it.each([
    ['a bigint', [{ ...image, _meta: { id: 1n } }]],
    ['a cycle', [{ ...image, _meta: cyclic }]],
  ])('turns a content block with %s into INVALID_RESULT', (_what, content) => {
    const wire = toWire('photo-take', success(null, { content } as object)) // a handler in JavaScript can do this
    expect(() => JSON.stringify(wire)).not.toThrow()
    expect(wire.structuredContent).toMatchObject({ success: false, error: { code: 'INVALID_RESULT' } })
  })

  it.each([
    ['a text', 'a text'],
    ['an object', { type: 'text', text: 'not in a list' }],
    ['a number', 7],
    ['null', null],
  ])('turns %s instead of a list of content blocks into INVALID_RESULT', (_what, content) => {
    const result = { success: true, data: 1, content } as unknown as CommandResult // a handler in JavaScript can do this
    expect(toWire('photo-take', result).structuredContent).toMatchObject({
      success: false,
      error: { code: 'INVALID_RESULT' },
    })
  })

  it('never returns a result that is too deep to be serialized inside its message', () => {
    const depth = deepestThatFits()
    for (const less of [0, 1, 2, 4, 8, 16, 32, 64]) {
      const wire = toWire('order-get', success(nested(depth - less)))
      expect(() => JSON.stringify({ jsonrpc: '2.0', id: 1, result: wire })).not.toThrow()
    }
  })
})

/** The deepest nesting that JSON.stringify can serialize from here. */
function deepestThatFits(): number {
  const fits = (depth: number) => {
    try {
      JSON.stringify({ success: true, data: nested(depth) })
      return true
    } catch {
      return false
    }
  }
  let low = 100
  let high = 200_000
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}
