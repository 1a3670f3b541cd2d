import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { knownJson } from '../../core/attached-json.ts'
import { createAnswerReader } from './answer-reader.ts'

const META = { 'io.modelcontextprotocol/serverInfo': { name: 'files', version: '1.0.0' } }
const FORMS: Readonly<Record<string, (id: number, text: string) => object>> = {
  'with the id first': (id, text) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }),
  'with the id last': (id, text) => ({ result: { content: [{ type: 'text', text }] }, jsonrpc: '2.0', id }),
  'of a Python server': (id, text) => ({
    jsonrpc: '2.0',
    id,
    result: { content: [{ type: 'text', text }], isError: false },
  }),
  'of a modern server': (id, text) => ({
    result: { content: [{ type: 'text', text }], resultType: 'complete', _meta: META },
    jsonrpc: '2.0',
    id,
  }),
}

function resultOf(message: unknown): object {
  const { result } = message as { readonly result: object } // every line here is an answer
  return result
}

describe.each(Object.entries(FORMS))('answers %s', (_name, formOf) => {
  it('reads answers as JSON.parse does, and keeps the JSON of each one after the first', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.string({ unit: 'binary' })), { minLength: 2 }), (answers) => {
        const read = createAnswerReader()
        for (const [index, [id, text]] of answers.entries()) {
          const line = JSON.stringify(formOf(id, text))
          const message = read(line)
          expect(message).toEqual(JSON.parse(line))
          const known = knownJson.get(resultOf(message))
          expect(known === undefined).toBe(index === 0)
          if (known === undefined) continue
          expect(known.json).toBe(JSON.stringify(resultOf(JSON.parse(line))))
          expect(JSON.parse(known.textJson)).toBe(text)
        }
      }),
    )
  })
})

describe('a line that differs from the answers before it', () => {
  const head = '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":'
  const plain = `${head}"one"}]}}`
  const lines = {
    'another block': `${head}"one"},{"type":"text","text":"two"}]}}`,
    'a repeated text': `${head}"one","text":"two"}]}}`,
    'a repeated result': `${head}"one"}]},"result":{"content":[{"type":"text","text":"two"}]}}`,
    'a repeated id': `${head}"one"}]},"id":8,"result":{"content":[{"type":"text","text":"two"}]}}`,
    'a failure': `${head}"one"}],"isError":true}}`,
    'structured content': `${head}"one"}],"structuredContent":{"a":1}}}`,
    'a number as its text': `${head}12}]}}`,
    'spaces around the text': `${head} "one" }]}}`,
    'a text as its id': plain.replace('"id":7', '"id":"7"'),
    'an id that is not canonical': plain.replace('"id":7', '"id":7.0'),
    'a notification': '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
    'an error': '{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"no"}}',
  }

  it.each(Object.entries(lines))('parses a line as a whole if it differs from earlier answers: %s', (_name, line) => {
    const read = createAnswerReader()
    for (let count = 0; count < 3; count++) read(plain)
    const message = read(line)
    expect(message).toEqual(JSON.parse(line))
    if (message !== undefined && 'result' in message) expect(knownJson.get(message.result)).toBeUndefined()
    // The reader still knows the pattern of the earlier answers.
    expect(knownJson.get(resultOf(read(plain)))).toBeDefined()
  })

  it('learns no pattern from a line that repeats a key or has spaces between its values', () => {
    for (const line of [lines['a repeated text'], lines['a repeated result'], lines['spaces around the text']]) {
      const read = createAnswerReader()
      expect(read(line)).toEqual(JSON.parse(line))
      expect(knownJson.get(resultOf(read(line)))).toBeUndefined()
    }
  })

  it.each([
    ['a text that does not end', `${head}"one}]}}`],
    ['a text with a bare newline', `${head}"a\nb"}]}}`],
    ['two texts', `${head}"a""b"}]}}`],
    ['no text', `${head}}]}}`],
  ])('returns no message for a line that is not JSON: %s', (_name, line) => {
    const read = createAnswerReader()
    for (let count = 0; count < 3; count++) read(plain)
    expect(read(line)).toBeUndefined()
  })
})

it('makes new objects for each answer, so that a change of one answer does not change the next', () => {
  const read = createAnswerReader()
  const line = JSON.stringify(FORMS['of a modern server']?.(1, 'same'))
  read(line)
  const changed = resultOf(read(line)) as { _meta: Record<string, Record<string, unknown>> } // the form has a _meta
  for (const info of Object.values(changed._meta)) info.name = 'other'
  expect(read(line)).toEqual(JSON.parse(line))
})
