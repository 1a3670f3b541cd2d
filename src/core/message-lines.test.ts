import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMessageLines, errorInPlaceOf, type LongMessage } from './message-lines.ts'

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

describe('the error in place of a long message', () => {
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
