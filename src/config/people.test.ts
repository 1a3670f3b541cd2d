import { describe, expect, it } from 'vitest'
import { valuesKeyOf, variablesFor } from './people.ts'

const person = { listedAs: 'alice' }

describe('the variables of a person', () => {
  it.each([
    ['a value of the same person', `\${person.TOKEN}`],
    ['a value of the same person, with a default', `\${person.TOKEN:-x}`],
  ])('do not include one that refers to %s, even if this process has such a variable', (_what, text) => {
    const given = { variables: { 'person.TOKEN': 'of the gateway' }, people: { alice: { NESTED: text } } }
    expect(variablesFor(person, given)['person.NESTED']).toBeUndefined()
    expect(valuesKeyOf(['NESTED'], person, given)).toBe('[null]')
  })

  it('do not include the inherited properties of an object', () => {
    const given = { variables: {}, people: { alice: {} } }
    for (const name of ['constructor', 'toString', '__proto__']) {
      expect(valuesKeyOf([name], person, given)).toBe('[null]')
      expect(Object.hasOwn(variablesFor(person, given), `person.${name}`)).toBe(false)
    }
    for (const listedAs of ['constructor', '__proto__']) expect(variablesFor({ listedAs }, given)).toEqual({})
  })
})
