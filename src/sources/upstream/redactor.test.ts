import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor, REDACTED } from './redactor.ts'

const SECRET = 'p"ass\\wörd/\n+end of <it>'

describe('a redactor of a list', () => {
  it('removes secrets from descriptions and defaults, and changes no name, type or choice', () => {
    const { descriptions } = createRedactor(['string', 'secret'])
    const listOf = (text: string, invisible = '\u200b') => ({
      tools: [
        {
          name: 'secret',
          title: text,
          description: `Reads ${text}.${invisible}`,
          inputSchema: {
            type: 'object',
            properties: {
              secret: { type: 'string', description: text, default: text, examples: [text], enum: ['secret'] },
            },
          },
        },
      ],
    })
    expect(descriptions(listOf('secret'))).toEqual(listOf(REDACTED))
    const unchanged = listOf('nothing')
    expect(descriptions(unchanged)).toEqual(unchanged)
    expect(createRedactor([]).descriptions(unchanged)).toBe(unchanged)
  })

  it('removes secrets at any depth of defaults, examples, metadata and icons, but not in names of properties and choices', () => {
    const { descriptions } = createRedactor(['secret-1', '87654321'])
    const listOf = (text: string, number: unknown) => ({
      inputSchema: {
        properties: {
          default: { enum: ['secret-1'], default: { token: text, pin: number }, examples: [{ token: [text] }] },
          tags: { type: 'string', const: 'secret-1' },
        },
      },
      icons: [{ src: `https://a.example/?key=${text}` }],
      _meta: { tags: [text], examples: [{ input: { token: text } }], other: text },
    })
    expect(descriptions(listOf('secret-1', 87654321))).toEqual(listOf(REDACTED, REDACTED))
  })

  it('removes secrets from the keys of defaults, examples, metadata and unknown fields', () => {
    const { descriptions } = createRedactor(['secret-1'])
    const listOf = (text: string) => ({
      inputSchema: { default: { [`a ${text}`]: 1 }, examples: [{ b: { [text]: [2] } }], [`x-${text}`]: { [text]: 3 } },
      _meta: { examples: [{ input: { [text]: 4 } }], [text]: 'd' },
    })
    expect(descriptions(listOf('secret-1'))).toEqual(listOf(REDACTED))
  })

  it('removes secrets from all metadata and annotations, and keeps what has none', () => {
    const { descriptions } = createRedactor(['secret-1'])
    const listOf = (text: string) => ({
      annotations: { title: text, hint: `see ${text}`, readOnlyHint: true },
      _meta: {
        requires: ['login', text],
        requirements: [text],
        'example.com/hint': text,
        name: text,
        nested: { enum: [text] },
        size: 7,
      },
    })
    expect(descriptions(listOf('secret-1'))).toEqual(listOf(REDACTED))
  })

  it('removes secrets from the texts of a schema that are no keywords of JSON Schema', () => {
    const { descriptions } = createRedactor(['secret-1'])
    const schemaOf = (text: string) => ({
      example: text,
      markdownDescription: text,
      enumDescriptions: [text],
      errorMessage: { required: text },
      deprecationMessage: text,
      'x-note': { type: text },
    })
    const listOf = (text: string) => ({
      inputSchema: {
        ...schemaOf(text),
        properties: { example: schemaOf(text), examples: schemaOf(text), 'x-note': schemaOf(text) },
        items: [schemaOf(text)],
        allOf: [{ if: schemaOf(text), else: { additionalProperties: schemaOf(text) } }],
        dependencies: { title: schemaOf(text), list: ['secret-1'] },
      },
      outputSchema: schemaOf(text),
    })
    expect(descriptions(listOf('secret-1'))).toEqual(listOf(REDACTED))
  })

  it('keeps every field that a call needs, even if it contains a secret', () => {
    const { descriptions } = createRedactor(['secret-1', '87654321'])
    const list = {
      nextCursor: 'secret-1',
      tools: [
        {
          name: 'secret-1',
          inputSchema: {
            $id: 'secret-1',
            required: ['secret-1'],
            properties: {
              'secret-1': { type: ['secret-1'], enum: ['secret-1', { a: 'secret-1' }], format: 'secret-1' },
              ref: { $ref: '#/$defs/secret-1', pattern: 'secret-1', maximum: 87654321, 'x-mcp-header': 'secret-1' },
            },
            $defs: { 'secret-1': { const: { 'secret-1': 1 } } },
            dependentRequired: { 'secret-1': ['secret-1'] },
          },
        },
      ],
    }
    expect(descriptions(list)).toEqual(list)
  })

  it('removes a secret with an invisible character in it, and keeps the invisible characters of other texts', () => {
    const { descriptions } = createRedactor(['s3cr3t-Value'])
    const title = 'no\u200bthing'
    expect(descriptions({ title, description: 'has s3cr3t\u200b-Value' })).toEqual({
      title,
      description: 'has [redacted]',
    })
  })

  it('uses the secrets for lists, and those that it learns', () => {
    const { descriptions, text, learn } = createRedactor(['eu-west-1', 'gh-token'], ['gh-token'])
    learn(['renewed'])
    expect(descriptions({ description: 'eu-west-1 gh-token renewed' }).description).toBe(
      'eu-west-1 [redacted] [redacted]',
    )
    expect(text('eu-west-1')).toBe(REDACTED)
  })
})

describe('a redactor of a text', () => {
  it('removes secrets that it learns later, and forgets the oldest of many', () => {
    const { text, learn, value } = createRedactor(['first'])
    learn(['second', ''])
    learn(['second'])
    expect(text('first second third')).toBe('[redacted] [redacted] third')
    expect(value({ a: 'second' })).toEqual({ a: '[redacted]' })
    learn(Array.from({ length: 64 }, (_, at) => `token number ${at}.`))
    expect(text('first, token number 0., token number 63., second')).toBe('[redacted], [redacted], [redacted], second')
  })

  it('removes every secret, even one that contains another secret', () => {
    const { text } = createRedactor(['secret', 'secret-and-more'])
    expect(text('a secret, a secret-and-more, a secret')).toBe('a [redacted], a [redacted], a [redacted]')
  })

  it.each([
    ['unchanged', SECRET],
    ['as JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['as JSON inside JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ['as JSON of an encoder that writes ASCII', JSON.stringify(SECRET).slice(1, -1).replace('ö', '\\u00f6')],
    ['as JSON of an encoder that escapes slashes', JSON.stringify(SECRET).slice(1, -1).replace('/', '\\/')],
    [
      'as JSON of an encoder for HTML pages',
      JSON.stringify(SECRET).slice(1, -1).replace('<', '\\u003c').replace('>', '\\u003e'),
    ],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in a form', new URLSearchParams({ q: SECRET }).toString().slice(2)],
    ['in a URL with lower-case escapes', encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
    ['in base64', Buffer.from(SECRET).toString('base64').replace(/=+$/, '')],
  ])('removes a secret that is written %s', (_, form) => {
    expect(createRedactor([SECRET]).text(`<${form}>`)).toMatch(/^<\[redacted\].{0,1}>$/)
  })

  it('removes a secret from base64, for any text around the secret', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.constantFrom('base64', 'base64url'), (before, after, encoding) => {
        const encoded = Buffer.from(`${before}${SECRET}${after}`).toString(encoding as BufferEncoding) // one of the two
        expect(createRedactor([SECRET]).text(encoded)).toContain(REDACTED)
      }),
    )
  })
})

describe('a redactor of a value', () => {
  const { value } = createRedactor(['hunter2!', 'first line\nsecond line', '12345678'])

  it('redacts nested values, keys and numbers, and keeps the rest unchanged', () => {
    const rest = { a: [1, null, true, 'b'], c: { d: 'e' } }
    const result = value({ ...rest, list: [{ 'key-hunter2!': ['x hunter2! y', 12_345_678] }] })
    expect(result).toEqual({ ...rest, list: [{ 'key-[redacted]': ['x [redacted] y', REDACTED] }] })
  })

  it('removes a secret that is split over blocks, joined directly or as lines', () => {
    const block = (text: string) => ({ type: 'text', text })
    expect(value([block('at hunt'), block('er2! end')])).toEqual([block('at [redacted]'), block(' end')])
    expect(value([block('a first line'), block('second line b')])).toEqual([block('a [redacted]'), block(' b')])
  })

  it('keeps media data valid, and replaces data that contains a secret', () => {
    const data = (text: string) => Buffer.from(text).toString('base64')
    const image = { type: 'image', mimeType: 'image/png', data: data('pixels') }
    const leak = { type: 'resource', resource: { uri: 'x://y?hunter2!', blob: data('… hunter2! …') } }
    expect(value([image, leak])).toEqual([
      image,
      { type: 'resource', resource: { uri: 'x://y?[redacted]', blob: data(REDACTED) } },
    ])
  })

  it('handles a value that is nested deeper than the stack allows', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(5_000)}"hunter2!"${']'.repeat(5_000)}`)
    expect(JSON.stringify(value(deep))).not.toContain('hunter2!')
  })

  it('leaves no secret in texts, at every position where it can be split', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('hun', 'ter', '2!', 'hunter2!', ' ', 'x'), { maxLength: 12 }), (texts) => {
        const joined = (value(texts) as string[]).join('') // a list of texts stays a list of texts
        expect(joined).not.toContain('hunter2!')
        expect(joined.replaceAll(REDACTED, 'hunter2!')).toBe(texts.join(''))
      }),
    )
  })
})
