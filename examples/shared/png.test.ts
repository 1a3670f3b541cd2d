// Checks that the PNG writer creates valid files.

import { crc32, inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createPicture } from './png.ts'

it('createPicture writes the colour of every pixel, and ignores pixels outside the image', () => {
  const picture = createPicture(4, 3, [
    [255, 255, 255],
    [10, 20, 30],
  ])
  picture.fill(1, 1, 2, 1, 1)
  picture.fill(3, 2, 9, 9, 1)
  picture.fill(-5, -5, 2, 2, 1)
  const chunks = chunksOf(Buffer.from(picture.toBase64(), 'base64'))
  expect([...chunks.keys()]).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND'])
  expect([...(chunks.get('IHDR') ?? [])]).toEqual([0, 0, 0, 4, 0, 0, 0, 3, 8, 3, 0, 0, 0])
  expect([...(chunks.get('PLTE') ?? [])]).toEqual([255, 255, 255, 10, 20, 30])
  const rows = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))
  expect([0, 5, 10].map((start) => [...rows.subarray(start, start + 5)].join(' '))).toEqual([
    '0 0 0 0 0',
    '0 0 1 1 0',
    '0 0 0 0 1',
  ])
})

function chunksOf(png: Buffer): Map<string, Buffer> {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const typed = png.subarray(at + 4, at + 8 + length)
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(typed))
    chunks.set(typed.subarray(0, 4).toString('latin1'), typed.subarray(4))
    at += length + 12
  }
  return chunks
}
