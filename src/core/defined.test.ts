import { expect, expectTypeOf, it } from 'vitest'
import { defined } from './defined.ts'

it('drops fields that are undefined, and keeps other falsy values', () => {
  const fields: { a: number; b: string | undefined; c: string | undefined; d: null; e: boolean } = {
    a: 0,
    b: undefined,
    c: '',
    d: null,
    e: false,
  }
  const kept = defined(fields)
  expect(Object.keys(kept)).toEqual(['a', 'c', 'd', 'e'])
  expectTypeOf(kept.a).toEqualTypeOf<number>()
  expectTypeOf(kept).toExtend<{ readonly b?: string }>()
})
