import { describe, expect, it } from 'vitest'
import { statedIn } from './stated-meta.ts'

describe('metadata in _meta', () => {
  it('reads category, tags, requirements and examples', () => {
    const examples = [{ title: 'One', input: { id: 1 } }, { input: {} }]
    expect(statedIn({ category: 'Issues', tags: ['a', 'b'], requires: ['login'], examples, other: 1 })).toEqual({
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
    expect(statedIn(meta)).toEqual({ traits: {} })
  })

  it('puts each text on one line, and limits their number', () => {
    const { category, tags } = statedIn({
      category: 'Two\nlines',
      tags: Array.from({ length: 50 }, (_, at) => `t${at}`),
    })
    expect(category).toBe('Two lines')
    expect(tags).toHaveLength(20)
  })
})
