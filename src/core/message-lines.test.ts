import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMessageLines, createMessageScan, errorInPlaceOf, type LongMessage } from './message-lines.ts'

function read(chunks: readonly Uint8Array[], maxBytes = 1_000) {
  const lines: string[] = []
  const tooLong: LongMessage[] = []
  const overflows: number[] = []
  const reader = createMessageLines({
    maxBytes,
    onLine: (line) => lines.push(line),
    onOverflow: (bytes) => overflows.push(bytes),
    onTooLong: (message) => tooLong.push(message),
  })
  for (const chunk of chunks) reader.push(chunk)
  return { lines, tooLong, overflows }
}

/** Cuts the text into chunks at these positions. */
function cut(text: string, positions: readonly number[]): Buffer[] {
  const all = Buffer.from(text)
  const at = [0, ...positions.map((position) => position % (all.length + 1)).toSorted((a, b) => a - b), all.length]
  return at.slice(1).map((end, index) => all.subarray(at[index], end))
}

describe('a reader of message lines', () => {
  it('gives the same lines for any split into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat()), (lines, positions) => {
        const clean = lines.map((line) => line.replace(/[\n\r]/g, ' ').trim())
        const found = read(cut(clean.map((line) => `${line}\n`).join(''), positions), 100_000)
        expect(found.lines).toEqual(clean.filter((line) => line !== ''))
      }),
    )
  })

  it('skips a line over the limit, reports its length, id and kind, and continues with the next line', () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.array(fc.nat()), fc.boolean(), (length, positions, isFirst) => {
        const text = `"result":"${'x'.repeat(length)}"`
        const long = isFirst ? `{"id":7,${text}}` : `{${text},"id":7}`
        const { lines, tooLong, overflows } = read(cut(`before\n${long}\nafter\n`, positions), 10)
        expect(lines).toEqual(['before', 'after'])
        expect(tooLong).toEqual([{ bytes: long.length, id: 7, kind: 'response' }])
        expect(overflows).toHaveLength(1)
      }),
    )
  })

  it('accepts a line of exactly the limit, and reports an overflow as soon as a line exceeds it', () => {
    expect(read([Buffer.from('0123456789\n')], 10)).toEqual({ lines: ['0123456789'], tooLong: [], overflows: [] })
    const { overflows, tooLong } = read([Buffer.from('0123456789'), Buffer.from('x'), Buffer.from('y')], 10)
    expect({ overflows, tooLong }).toEqual({ overflows: [11], tooLong: [] })
  })

  it('waits for the end of a line, and accepts the end of the stream as the end of a line', () => {
    expect(read([Buffer.from('half a li')]).lines).toEqual([])
    const lines: string[] = []
    const reader = createMessageLines({ maxBytes: 10, onLine: (line) => lines.push(line), onTooLong() {} })
    reader.push(Buffer.from('a\nb'))
    reader.end()
    reader.end()
    expect(lines).toEqual(['a', 'b'])
  })
})

describe('errorInPlaceOf', () => {
  const error = { code: -32_000, message: 'too long' }
  it.each([
    ['response', 1, 'us'],
    ['request', 'a', 'them'],
    ['request', undefined, undefined],
    [undefined, 1, undefined],
  ] as const)('chooses the receiver of the error for a long message of kind %s with id %s: %s', (kind, id, who) => {
    expect(errorInPlaceOf({ kind, id, bytes: 1 }, error)?.for).toBe(who)
  })
})

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
