import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFrameReader, idOfCutResponse } from './frames.ts'

function read(chunks: readonly Buffer[], maxBytes = 1_000) {
  const frames: string[] = []
  const tooLong: { head: string; tail: string; bytes: number }[] = []
  const reader = createFrameReader({
    maxBytes,
    onFrame: (line) => frames.push(line),
    onTooLong: (ends) => tooLong.push(ends),
  })
  for (const chunk of chunks) reader.push(chunk)
  return { frames, tooLong }
}

/** The text, cut into chunks at these places. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const all = Buffer.from(text)
  const at = [0, ...places.map((place) => place % (all.length + 1)).toSorted((a, b) => a - b), all.length]
  return at.slice(1).map((end, index) => all.subarray(at[index], end))
}

describe('a frame reader', () => {
  it('gives the lines, however the bytes arrive', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat()), (lines, places) => {
        const clean = lines.map((line) => line.replace(/[\n\r]/g, ' ').trim())
        const { frames } = read(cut(clean.map((line) => `${line}\n`).join(''), places), 100_000)
        expect(frames).toEqual(clean.filter((line) => line !== ''))
      }),
    )
  })

  it('keeps the ends of a line that is too long, and goes on with the next', () => {
    fc.assert(
      fc.property(fc.integer({ min: 11, max: 5_000 }), fc.array(fc.nat()), (length, places) => {
        const long = `<${'x'.repeat(length - 2)}>`
        const { frames, tooLong } = read(cut(`before\n${long}\nafter\n`, places), 10)
        expect(frames).toEqual(['before', 'after'])
        expect(tooLong).toEqual([{ head: long.slice(0, 512), tail: long.slice(-512), bytes: length }])
      }),
    )
  })

  it('waits for the end of a line', () => {
    expect(read([Buffer.from('half a li')]).frames).toEqual([])
  })
})

describe('the id of an answer that was cut', () => {
  const ends = (message: string) => ({ head: message.slice(0, 40), tail: message.slice(-40) })
  const filling = 'x'.repeat(100)

  it.each([
    ['first', `{"jsonrpc":"2.0","id":7,"result":{"text":"${filling}"}}`, 7],
    ['first of all', `{"id":"a-1","jsonrpc":"2.0","result":{"text":"${filling}"}}`, 'a-1'],
    ['last', `{"result":{"text":"${filling}"},"jsonrpc":"2.0","id":8}`, 8],
    ['last but one', `{"result":{"text":"${filling}"},"id":9,"jsonrpc":"2.0"}`, 9],
  ])('is found where it stands %s', (_, message, id) => {
    expect(idOfCutResponse(ends(message))).toBe(id)
  })

  it.each([
    ['a notification', `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${filling}"}}`],
    ['an id inside the result', `{"jsonrpc":"2.0","result":{"text":"${filling}","id":5}}`],
    ['an id inside a text', `{"jsonrpc":"2.0","result":{"text":"${filling},\\"id\\":5}"}}`],
  ])('is not taken from %s', (_, message) => {
    expect(idOfCutResponse(ends(message))).toBeUndefined()
  })
})
