import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createIdFinder } from './id-finder.ts'

function idIn(text: string, cut = text.length): unknown {
  const bytes = Buffer.from(text)
  const finder = createIdFinder([bytes.subarray(0, cut)])
  finder.read(bytes.subarray(cut))
  return finder.id
}

it.each([
  ['{"id":1,"method":"x"}', 1],
  ['{ "method" : "x" , "id" : "a\\"b,:}" }', 'a"b,:}'],
  ['{"params":{"id":2,"a":[{"id":3}]},"id":4}', 4],
  ['{"method":"id","id":-1.5}', -1.5],
  ['{"\\u0069d":7}', 7],
  ['{"id":null}', undefined],
  ['{"id":{"id":1}}', undefined],
  ['{"params":"{\\"id\\":9}"}', undefined],
  ['[{"id":1}]', undefined],
  ['"id":1', undefined],
  ['', undefined],
])('finds in %s the id %j', (text, id) => {
  expect(idIn(text)).toBe(id)
})

it('finds what JSON.parse finds, wherever the text is cut', () => {
  const message = fc.record({
    params: fc.jsonValue(),
    id: fc.oneof(fc.integer(), fc.string({ maxLength: 50 })),
    method: fc.string(),
  })
  fc.assert(
    fc.property(message, fc.nat(), fc.constantFrom(undefined, 2), (value, cut, indent) => {
      const text = JSON.stringify(value, null, indent)
      expect(idIn(text, cut % text.length)).toBe(value.id)
    }),
  )
})
