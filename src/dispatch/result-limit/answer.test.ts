import type { ContentBlock } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { blocksUpTo, toPieces } from './answer.ts'

const limits = { maxBlockBytes: 300, maxBinaryBytes: 500 }
const bytes = (count: number) => Buffer.alloc(count).toString('base64')
const image = (count: number): ContentBlock => ({ type: 'image', data: bytes(count), mimeType: 'image/png' })
const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const file = (held: { text: string } | { blob: string }): ContentBlock => ({
  type: 'resource',
  resource: { uri: 'file:///a', mimeType: 'application/pdf', ...held },
})
const link: ContentBlock = { type: 'resource_link', uri: 'file:///b', name: 'b' }

function textsOf(content: readonly ContentBlock[]) {
  return toPieces(content, limits).pieces.map((piece) => piece.text)
}

describe('toPieces', () => {
  it('gives the text of text blocks and text files, and the JSON of links', () => {
    expect(textsOf([text('a'), file({ text: 'b' }), link])).toEqual(['a', 'b', JSON.stringify(link)])
  })

  it('keeps images, audio and binary files whole, and gives no text for them', () => {
    const content = [image(300), { type: 'audio', data: bytes(30), mimeType: 'audio/wav' } as const]
    const { pieces, leftOut } = toPieces([...content, file({ blob: bytes(30) })], limits)
    expect(pieces.map((piece) => piece.text)).toEqual([undefined, undefined, undefined])
    expect(pieces.map((piece) => piece.block)).toEqual([...content, file({ blob: bytes(30) })])
    expect(leftOut).toBe(0)
  })

  it('puts a line with the type and size in place of a block that is too large', () => {
    const { pieces, leftOut } = toPieces([text('before'), image(303), file({ blob: bytes(3_000) })], limits)
    expect(pieces.map((piece) => piece.block)).toEqual([
      text('before'),
      text('[left out: image, image/png, 303 bytes; too large to pass on]'),
      text('[left out: file, application/pdf, 3,000 bytes; too large to pass on]'),
    ])
    expect(leftOut).toBe(2)
  })

  it('leaves out blocks that exceed the total limit, and keeps later ones that still fit', () => {
    expect(textsOf([image(300), image(300), image(200)])).toEqual([
      undefined,
      expect.stringContaining('300'),
      undefined,
    ])
  })

  it('limits the length of a MIME type in the notice', () => {
    const odd = { type: 'image', data: bytes(3_000), mimeType: 'x'.repeat(1_000_000) } as const
    expect(textsOf([odd])[0]?.length).toBeLessThan(200)
  })

  it.each([
    ['a text block without text', { type: 'text' }],
    ['a resource block without a resource', { type: 'resource' }],
    ['an image block without data', { type: 'image' }],
    ['a block of an unknown type', { type: 'hologram', of: 'x' }],
  ])('gives the JSON text of %s', (_, block) => {
    // The gateway checks only the `type` of the blocks that a server sends.
    expect(textsOf([block as ContentBlock])).toEqual([JSON.stringify(block)])
  })
})

describe('blocksUpTo', () => {
  const content: ContentBlock[] = [
    { ...text('abc'), _meta: { a: 1 } },
    image(30),
    file({ text: 'defg' }),
    link,
    text('x'),
  ]
  const upTo = (end: number) => blocksUpTo(toPieces(content, limits).pieces, end)

  it('cuts the text at the position `end`, and keeps the other fields of the cut block and later binary blocks', () => {
    expect(upTo(2)).toEqual([{ ...text('ab'), _meta: { a: 1 } }, image(30)])
    expect(upTo(3)).toEqual([content[0], image(30)])
    expect(upTo(5)).toEqual([content[0], image(30), file({ text: 'de' })])
  })

  it('gives a cut link as text', () => {
    expect(upTo(9)).toEqual([...content.slice(0, 3), text('{"')])
  })

  it('gives all blocks if `end` is beyond the text', () => {
    expect(upTo(1_000)).toEqual(content)
  })
})
