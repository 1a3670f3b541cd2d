import { describe, expect, it } from 'vitest'
import { hasSameRights, parseRights, rightsKey, uniteRights } from './rights.ts'

describe('rightsKey', () => {
  it('returns the same key for the same rights in another order', () => {
    expect(rightsKey({ servers: ['b', 'a', 'a'], tools: ['x', 'y'] })).toBe(
      rightsKey({ tools: ['y', 'x'], servers: ['a', 'b'] }),
    )
    expect(hasSameRights({ readOnly: false }, {})).toBe(true)
  })

  it('returns different keys if any right differs, even if one list is absent and the other is empty', () => {
    const all = [
      undefined,
      {},
      { servers: [] },
      { tools: [] },
      { servers: ['a'] },
      { tools: ['a'] },
      { readOnly: true },
    ]
    expect(new Set(all.map(rightsKey)).size).toBe(all.length)
    expect(hasSameRights({ servers: ['a,b'] }, { servers: ['a', 'b'] })).toBe(false)
  })
})

describe('parseRights', () => {
  it('returns servers, tools and readOnly', () => {
    const rights = { servers: ['a'], tools: ['x*'], readOnly: true }
    expect(parseRights(rights)).toEqual(rights)
    expect(parseRights({})).toEqual({})
  })

  it.each([
    null,
    'all',
    [],
    ['github'],
    { anyOf: {} },
    { anyOf: [{ servers: 'a' }] },
    { servers: 'a' },
    { servers: [1] },
    { tools: {} },
    { readOnly: 'yes' },
    { readonly: true },
    { servers: ['a'], contexts: ['x'] },
    { anyOf: [{ readOnly: true }], servers: ['a'] },
    { anyOf: [{ server: ['a'] }] },
  ])('returns undefined for %j', (value) => {
    expect(parseRights(value)).toBeUndefined()
  })
})

describe('uniteRights', () => {
  it('keeps each of the rights apart, and returns undefined if one of them allows everything', () => {
    const [a, b] = [{ servers: ['a'], readOnly: true }, { servers: ['b'] }]
    expect(uniteRights([a, b])).toEqual({ anyOf: [a, b] })
    expect(uniteRights([a])).toBe(a)
    expect(uniteRights([a, { readOnly: false }])).toBeUndefined()
    expect(rightsKey({ anyOf: [a, b] })).toBe(rightsKey({ anyOf: [b, a] }))
  })
})
