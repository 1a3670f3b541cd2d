import { describe, expect, it } from 'vitest'
import { signature } from './signature.ts'

const fields = (count: number, prefix: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, { type: 'string' }]))

describe('signature', () => {
  it('lists required fields first, and marks optional fields and arrays', () => {
    const schema = {
      type: 'object',
      properties: {
        note: { type: 'string' },
        customerId: {},
        items: { type: 'array' },
        tags: { type: ['array', 'null'] },
      },
      required: ['customerId', 'items'],
    }
    expect(signature('create-order', schema)).toBe('create-order(customerId, items[], note?, tags[]?)')
  })

  it('shows empty parentheses for a tool without parameters, and … if the parameters are unknown', () => {
    expect(signature('ping', { type: 'object', properties: {} })).toBe('ping()')
    expect(signature('ping', {})).toBe('ping(…)')
  })

  it('shows the values of a short enum, but not those of a long one', () => {
    const schema = {
      type: 'object',
      properties: { state: { enum: ['open', 'closed'] }, zone: { enum: Object.keys(fields(40, 'zone')) } },
    }
    expect(signature('list', schema)).toBe("list(state?: 'open'|'closed', zone?)")
  })

  it('shows the number of optional fields that it leaves out', () => {
    expect(signature('find', { type: 'object', properties: { ...fields(10, 'o'), q: {} }, required: ['q'] })).toBe(
      'find(q, o0?, o1?, o2?, o3?, o4?, o5?, …+4)',
    )
  })

  it('keeps required fields when there is no more room for optional ones, up to a limit', () => {
    const needed = fields(12, 'a_rather_long_name_')
    const line = signature('many', {
      type: 'object',
      properties: { ...needed, more: {} },
      required: Object.keys(needed),
    })
    for (const name of Object.keys(needed)) expect(line).toContain(name)
    expect(line).toMatch(/, …\+1\)$/)
    expect(
      signature('huge', { properties: fields(900, 'needed'), required: Object.keys(fields(900, 'needed')) }).length,
    ).toBeLessThan(400)
  })

  it('shows the required fields of each of several forms of arguments', () => {
    const form = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] })
    const schema = {
      type: 'object',
      properties: { amount: {} },
      required: ['amount'],
      oneOf: [form('card'), form('iban')],
    }
    expect(signature('pay', schema)).toBe('pay(amount, card | iban)')
  })

  it('reads fields through references', () => {
    const $defs = {
      page: { type: 'object', properties: { size: { $ref: '#/$defs/sizes' } } },
      sizes: { type: 'array' },
    }
    expect(signature('list', { $ref: '#/$defs/page', $defs })).toBe('list(size[]?)')
  })
})
