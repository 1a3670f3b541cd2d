import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aFlag, aListOf, aText, findFieldFault, oneOf } from './check-fields.ts'

const checks = { title: aText, tags: aListOf(aText, 'texts'), done: aFlag, size: oneOf('small', 'large') }

describe('findFieldFault', () => {
  it('accepts valid fields, and fields that are left out or undefined', () => {
    expect(findFieldFault({}, checks)).toBeUndefined()
    expect(findFieldFault({ title: 'x', tags: [], done: false, size: 'small' }, checks)).toBeUndefined()
    expect(findFieldFault({ title: undefined, unheardOf: undefined }, checks)).toBeUndefined()
  })

  it.each([
    [{ title: 7 }, 'title', 'expected a text, found 7'],
    [{ title: null }, 'title', 'expected a text, found null'],
    [{ tags: 'x' }, 'tags', "expected a list of texts, found 'x'"],
    [{ tags: ['x', undefined] }, 'tags', 'entry 2: expected a text, found nothing'],
    [{ size: 'medium' }, 'size', "expected one of 'small', 'large', found 'medium'"],
  ])('reports what was expected and what was found in %o', (given, field, reason) => {
    expect(findFieldFault(given, checks)).toEqual({ field, reason, todo: 'Correct it, or leave it out.' })
  })

  it('suggests the similar field for a misspelt one, else lists all fields, and treats inherited names as unknown', () => {
    expect(findFieldFault({ titel: 'x' }, checks)?.todo).toBe("Did you mean 'title'?")
    expect(findFieldFault({ zzzzzzz: 'x' }, checks)?.todo).toBe("Use one of 'title', 'tags', 'done', 'size'.")
    for (const name of ['constructor', 'toString']) {
      expect(findFieldFault({ [name]: 1 }, checks)?.reason).toBe(`'${name}' is not one of its fields`)
    }
  })

  it.each([undefined, null, 7, 'x', [[]]])('refuses %o, because it has no fields', (given) => {
    expect(findFieldFault(given, checks)?.reason).toMatch(/^expected an object, found /)
  })

  it('returns a result for any value without throwing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('title', 'tags', 'done', 'size', 'x'), fc.anything()), (given) => {
        expect(findFieldFault(given, checks)?.reason).not.toBe('')
      }),
    )
  })
})
