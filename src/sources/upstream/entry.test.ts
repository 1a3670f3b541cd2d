import { describe, expect, it } from 'vitest'
import { ownNameWarning, readToolMeta } from './entry.ts'

describe('metadata in _meta', () => {
  it('reads the category, tags, requirements and examples of a tool from _meta', () => {
    const examples = [{ title: 'One', input: { id: 1 } }, { input: {} }]
    expect(readToolMeta({ category: 'Issues', tags: ['a', 'b'], requires: ['login'], examples, other: 1 })).toEqual({
      category: 'Issues',
      tags: ['a', 'b'],
      traits: { requires: ['login'], examples },
    })
  })

  it.each([
    [undefined],
    [null],
    ['Issues'],
    [[]],
    [{ category: 7, tags: 'a', requires: [1, null], examples: [{}, 'x', { input: [] }] }],
    [{ category: ' ', tags: [''], requires: ['x'.repeat(65)] }],
  ])('ignores invalid metadata: %j', (meta) => {
    expect(readToolMeta(meta)).toEqual({ traits: {} })
  })

  it('puts the category on one line, and limits the number of tags', () => {
    const { category, tags } = readToolMeta({
      category: 'Two\nlines',
      tags: Array.from({ length: 50 }, (_, at) => `t${at}`),
    })
    expect(category).toBe('Two lines')
    expect(tags).toHaveLength(20)
  })

  it('removes invisible characters from the values of examples', () => {
    const { traits } = readToolMeta({ examples: [{ input: { q: 'a\u200b' }, output: ['\u{e0041}b'] }] })
    expect(traits.examples).toEqual([{ input: { q: 'a' }, output: ['b'] }])
  })
})

describe('ownNameWarning', () => {
  it("shows how to call a server's tool that has the name of one of the gateway's own tools", () => {
    expect(ownNameWarning('my shop', 'afd-call')).toBe(
      "it has the name of a tool of Toolcrib itself; to call it, name its server too: `toolcrib execute 'my shop' afd-call`",
    )
  })
})
