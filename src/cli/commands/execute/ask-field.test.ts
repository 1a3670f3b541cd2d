import { describe, expect, it } from 'vitest'
import { createSchemaReader } from '../../../core/parameters/schema-reader.ts'
import { choiceOf, choicesIn, choicesOf } from './ask-field.ts'

const choicesFor = (schema: object) => choicesIn(schema, createSchemaReader(schema)(schema).forms)
const titled = (...pairs: readonly (readonly [string, string?])[]) =>
  choicesFor({ type: 'string', title: 'Field', oneOf: pairs.map(([value, title]) => ({ const: value, title })) })

describe('the choices of a field', () => {
  it('choices show the titles of oneOf and enumNames, or the values if there are no titles', () => {
    expect(titled(['a', 'First'], ['b']).map(({ label }) => label)).toEqual(['First', 'b'])
    const legacy = choicesFor({ type: 'string', enum: ['a', 'b'], enumNames: ['First'] })
    expect(legacy.map(({ label }) => label)).toEqual(['First', 'b'])
    expect(choicesFor({ enum: [1, true, null] }).map(({ label }) => label)).toEqual(['1', 'true', 'null'])
  })

  it('choices are empty if the field accepts other values too', () => {
    expect(choicesFor({ anyOf: [{ const: 'auto' }, { type: 'integer' }] })).toEqual([])
  })

  it('a typed word is compared with the titles of the choices before their values, because titles are shown', () => {
    const swapped = titled(['a', 'b'], ['b', 'a'], ['c', 'Third'])
    expect(choiceOf('b', swapped)?.value).toBe('a')
    expect(choiceOf('c', swapped)?.value).toBe('c')
    expect(choiceOf(' third ', swapped)?.value).toBe('c')
    expect(choiceOf('d', swapped)).toBeUndefined()
  })

  it('labels contain the value if two choices have the same title', () => {
    const twins = titled(['a', 'Same'], ['b', 'same'])
    expect(twins.map(({ label }) => label)).toEqual(['Same (a)', 'same (b)'])
    expect(choiceOf('Same', twins)).toBeUndefined()
    expect(choiceOf('b', twins)?.value).toBe('b')
  })

  it('choices are read from a comma-separated list, even if a title contains a comma', () => {
    const fish = titled(['f-1', 'Tuna'], ['f-2', 'Tuna, smoked'], ['f-3', 'Trout'])
    const valuesOf = (word: string) => choicesOf(word, fish)?.map(({ value }) => value)
    expect(valuesOf('Tuna, smoked,trout, f-1')).toEqual(['f-2', 'f-3', 'f-1'])
    expect(valuesOf('Tuna, Cod')).toBeUndefined()
    expect(valuesOf('')).toBeUndefined()
  })
})
