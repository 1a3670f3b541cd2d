import { expect, it } from 'vitest'
import { createHiddenField } from './attached-json.ts'

it('attaches a value to any object, even to a frozen one, without a new key, and copies of the object lack the value', () => {
  const field = createHiddenField<string>()
  for (const holder of [{ a: 1 }, Object.freeze({ a: 1 })]) {
    expect(field.get(holder)).toBeUndefined()
    field.set(holder, 'first')
    field.set(holder, 'second')
    expect(field.get(holder)).toBe('second')
    expect(Reflect.ownKeys(holder)).toEqual(['a'])
    expect(field.get({ ...holder })).toBeUndefined()
    expect(createHiddenField<string>().get(holder)).toBeUndefined()
    field.remove(holder)
    expect(field.get(holder)).toBeUndefined()
  }
})
