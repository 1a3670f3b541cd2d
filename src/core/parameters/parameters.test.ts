import { describe, expect, it } from 'vitest'
import { parametersOf } from './parameters.ts'

const text = (description: string) => ({ type: 'string', description })

describe('parametersOf', () => {
  it('lists the required parameters first, and marks each as required or optional', () => {
    const schema = {
      type: 'object',
      properties: {
        body: text('Markdown'),
        repo: text('owner/repo'),
        state: { enum: ['open', 'closed'], default: 'open' },
      },
      required: ['repo'],
    }
    expect(parametersOf(schema)).toEqual({
      parameters: [
        { name: 'repo', type: 'string', description: 'owner/repo', required: true },
        { name: 'body', type: 'string', description: 'Markdown', required: false },
        { name: 'state', type: "'open'|'closed' = 'open'", required: false },
      ],
    })
  })

  it('gives an empty list for a tool that takes no parameters', () => {
    expect(parametersOf({ type: 'object', properties: {} })).toEqual({ parameters: [] })
    expect(parametersOf({ type: 'object' })).toEqual({ parameters: [] })
  })

  it('notes that the parameters are unknown if the schema declares nothing', () => {
    expect(parametersOf({ $schema: 'http://json-schema.org/draft-07/schema#' })).toEqual({
      parameters: [],
      note: 'The server does not say which parameters this takes.',
    })
  })

  it('reads fields through a reference and through allOf', () => {
    const $defs = { base: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } }
    const added = { properties: { b: { type: 'integer' } } }
    const a = { name: 'a', type: 'string', required: true }
    expect(parametersOf({ $ref: '#/$defs/base', $defs })).toEqual({ parameters: [a] })
    expect(parametersOf({ allOf: [{ $ref: '#/$defs/base' }, added], $defs })).toEqual({
      parameters: [a, { name: 'b', type: 'integer', required: false }],
    })
  })

  it('lists the fields of each form separately if there are several forms of arguments', () => {
    const form = (kind: string, field: string) => ({
      properties: { kind: { const: kind }, [field]: { type: 'string' } },
      required: ['kind', field],
    })
    const schema = {
      type: 'object',
      properties: { amount: { type: 'number' } },
      required: ['amount'],
      oneOf: [form('card', 'number'), form('bank', 'iban')],
    }
    expect(parametersOf(schema)).toEqual({
      parameters: [{ name: 'amount', type: 'number', required: true }],
      oneOf: ["{kind: 'card', number: string}", "{kind: 'bank', iban: string}"],
    })
  })

  it('shows which parameters each of several forms requires', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      anyOf: [{ required: ['id'] }, { required: ['name'] }],
    }
    expect(parametersOf(schema)).toEqual({
      parameters: [
        { name: 'id', type: 'string', required: false },
        { name: 'name', type: 'string', required: false },
      ],
      oneOf: ['{id}', '{name}'],
    })
  })

  it('shows all fields as optional if one of several forms has no further fields', () => {
    const closed = (properties: Record<string, unknown>, required: readonly string[]) => ({
      type: 'object',
      properties,
      required,
      additionalProperties: false,
    })
    const byId = closed({ id: { type: 'string' } }, ['id'])
    expect(parametersOf({ oneOf: [closed({}, []), byId, closed({ id: { type: 'integer' } }, [])] })).toEqual({
      parameters: [{ name: 'id', type: 'string|integer', required: false }],
    })
    const open = { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{}, { required: ['a'] }, byId] }
    expect(parametersOf(open).parameters.map(({ name, required }) => [name, required])).toEqual([
      ['a', false],
      ['id', false],
    ])
  })

  it('shows fields with arbitrary names as [key]', () => {
    expect(parametersOf({ type: 'object', additionalProperties: { type: 'number' } })).toEqual({
      parameters: [{ name: '[key]', type: 'number', required: false }],
    })
  })

  it('notes that a condition is left out, and names the call for the full schema if there is one', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, dependentRequired: { a: ['b'] } }
    expect(parametersOf(schema).parameters).toHaveLength(1)
    expect(parametersOf(schema).note).toBe('… marks what is left out.')
    expect(parametersOf(schema, { fullSchemaBy: 'get_schema' }).note).toBe(
      '… marks what is left out; get_schema gives the full JSON Schema.',
    )
  })

  it('leaves out a description that only repeats the name and the text in `about`', () => {
    const schema = {
      type: 'object',
      properties: { projectId: text('ID of the project to update'), name: text('New name') },
    }
    expect(parametersOf(schema, { about: 'update_project' }).parameters).toEqual([
      { name: 'projectId', type: 'string', required: false },
      { name: 'name', type: 'string', description: 'New name', required: false },
    ])
  })

  it('shortens optional parameters if there are many, and shows the required ones in full', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [
        `field${index}`,
        text(`Sentence number ${index}, which goes on for long`),
      ]),
    )
    const required = ['field80', 'field81']
    const { parameters, note } = parametersOf({ type: 'object', properties, required })
    expect(parameters).toHaveLength(90)
    expect(note).toBeUndefined()
    expect(parameters[0]?.description).toContain('goes on for long')
    expect(parameters[5]?.description).toBeUndefined()
  })

  it('names some of the parameters that do not fit at all', () => {
    const names = Array.from({ length: 400 }, (_, index) => `field${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, text('What it is for')]))
    const list = parametersOf({ type: 'object', properties, required: ['field399'] })
    expect(list.parameters[0]?.name).toBe('field399')
    expect(JSON.stringify(list).length).toBeLessThan(8_000)
    expect(list.note).toMatch(/^\d+ more, such as field\d+, .*left out/)
  })
})

describe('parametersOf with a hostile schema', () => {
  const nested = (depth: number, wrap: (inner: unknown) => unknown) => {
    let schema: unknown = { type: 'string' }
    for (let level = 0; level < depth; level++) schema = wrap(schema)
    return { type: 'object', properties: { a: schema }, required: ['a'] }
  }
  // Each definition refers twenty times to the next one.
  const bomb = (combine: string) => ({
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => [
        `d${level}`,
        { [combine]: Array.from({ length: 20 }, () => ({ $ref: `#/$defs/d${level + 1}` })) },
      ]),
    ),
  })

  it.each([
    ['deep objects', nested(20_000, (inner) => ({ type: 'object', properties: { a: inner }, required: ['a'] }))],
    ['deep arrays', nested(20_000, (items) => ({ type: 'array', items }))],
    ['deep unions', nested(20_000, (inner) => ({ anyOf: [inner, { type: 'null' }] }))],
    ['deep intersections', nested(20_000, (inner) => ({ allOf: [inner, { description: 'x' }] }))],
    [
      'a deep default',
      { properties: { a: { default: nested(20_000, (inner) => [inner]), const: nested(9_999, (a) => ({ a })) } } },
    ],
    ['a union of unions of unions', bomb('anyOf')],
    ['an intersection of intersections', bomb('allOf')],
    ['a reference to itself', { $ref: '#' }],
    [
      'two references to each other',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    ],
    ['a required recursion', { properties: { a: { $ref: '#' } }, required: ['a'] }],
    ['a very long name', { properties: { ['n'.repeat(100_000)]: { type: 'string' } } }],
    [
      'very long texts',
      { properties: { a: { const: 'x'.repeat(1e6), description: 'y '.repeat(1e6), pattern: 'z'.repeat(1e6) } } },
    ],
    ['very many values', { properties: { a: { enum: Array.from({ length: 1e5 }, (_, index) => `value ${index}`) } } }],
    [
      'very many fields',
      { properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`f${index}`, {}])) },
    ],
    ['names of Object.prototype', { properties: JSON.parse('{"__proto__": {"type": "string"}, "constructor": true}') }],
  ])('gives a bounded list in bounded time for %s', (_, schema) => {
    const startedAt = performance.now()
    expect(JSON.stringify(parametersOf(schema)).length).toBeLessThan(20_000)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  it('accepts a field named __proto__', () => {
    const schema = {
      type: 'object',
      properties: JSON.parse('{"__proto__": {"type": "string"}}'),
      required: ['__proto__'],
    }
    expect(parametersOf(schema).parameters).toEqual([{ name: '__proto__', type: 'string', required: true }])
  })
})
