// A small PNG writer for images with a palette of a few colours.

import { crc32, deflateSync } from 'node:zlib'

export type Rgb = readonly [red: number, green: number, blue: number]

export interface Picture {
  /** A colour is an index into the palette; 0 is the background. */
  fill(x: number, y: number, width: number, height: number, colour: number): void
  toBase64(): string
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BITS_PER_PIXEL = 8
const INDEXED_COLOUR = 3

export function createPicture(width: number, height: number, palette: readonly Rgb[]): Picture {
  // Every row starts with the filter byte 0, which means no filter.
  const rowBytes = width + 1
  const rows = Buffer.alloc(rowBytes * height)
  return {
    fill(x, y, wide, high, colour) {
      const [left, right] = [clamp(x, width), clamp(x + wide, width)]
      const bottom = clamp(y + high, height)
      for (let row = clamp(y, height); row < bottom; row++) {
        rows.fill(colour, row * rowBytes + 1 + left, row * rowBytes + 1 + right)
      }
    },
    toBase64() {
      const header = Buffer.alloc(13)
      header.writeUInt32BE(width, 0)
      header.writeUInt32BE(height, 4)
      header.set([BITS_PER_PIXEL, INDEXED_COLOUR], 8)
      const chunks = [
        chunk('IHDR', header),
        chunk('PLTE', Buffer.from(palette.flat())),
        chunk('IDAT', deflateSync(rows)),
        chunk('IEND', Buffer.alloc(0)),
      ]
      return Buffer.concat([SIGNATURE, ...chunks]).toString('base64')
    },
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(typed.length + 8)
  framed.writeUInt32BE(data.length, 0)
  typed.copy(framed, 4)
  framed.writeUInt32BE(crc32(typed), typed.length + 4)
  return framed
}

function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(max, Math.round(value)))
}
