import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMessageScan } from './message-scan.ts'

function scanned(text: string, cut = text.length) {
  const bytes = Buffer.from(text)
  const scan = createMessageScan([bytes.subarray(0, cut)])
  scan.read(bytes.subarray(cut))
  return scan
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
])('finds the id of %s: %j', (text, id) => {
  expect(scanned(text).id).toBe(id)
})

it('finds the same id as JSON.parse for any split into two chunks', () => {
  const message = fc.record({
    params: fc.jsonValue(),
    id: fc.oneof(fc.integer(), fc.string({ maxLength: 50 })),
    method: fc.string(),
  })
  fc.assert(
    fc.property(message, fc.nat(), fc.constantFrom(undefined, 2), (value, cut, indent) => {
      const text = JSON.stringify(value, null, indent)
      expect(scanned(text, cut % text.length).id).toBe(value.id)
    }),
  )
})

it.each([
  ['{"id":1,"method":"x"}', 'request'],
  ['{"params":{"result":1},"method":"x"}', 'request'],
  ['{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}', 'response'],
  ['{"error":{"code":1},"id":1}', 'response'],
  ['{"id":1,"params":"\\"method\\":1"}', undefined],
  ['["method"]', undefined],
])('finds the kind of %s: %s', (text, kind) => {
  expect(scanned(text).kind).toBe(kind)
})

it('reads a long text of escapes in linear time', () => {
  const timeOf = (chunk: Buffer, count: number) => {
    const scan = createMessageScan([Buffer.from('{"params":{"text":"')])
    const start = performance.now()
    for (let i = 0; i < count; i++) scan.read(chunk)
    const took = performance.now() - start
    scan.read(Buffer.from('"},"id":5,"method":"x"}'))
    expect(scan).toMatchObject({ id: 5, kind: 'request' })
    return took
  }
  const small = Buffer.from('\\n'.repeat(1 << 14))
  const large = Buffer.from('\\n'.repeat(1 << 20))
  // The same bytes in chunks that are 64 times as long: a quadratic scan would take 64 times as long. The first run is
  // a warm-up.
  timeOf(small, 64)
  const ratios = [1, 2, 3].map(() => timeOf(large, 1) / timeOf(small, 64))
  expect(Math.min(...ratios)).toBeLessThan(16)
})
