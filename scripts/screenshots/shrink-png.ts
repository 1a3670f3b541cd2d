// Compresses a PNG again, better than a browser does. The pixels stay the same.

import { readFileSync, writeFileSync } from 'node:fs'
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE_BYTES = 8
/** The chunks that a picture needs besides its pixels. Others, such as times and texts, are left out. */
const KEPT = ['IHDR', 'PLTE', 'tRNS', 'IEND']

export function shrinkPng(file: string): void {
  const before = readFileSync(file)
  const chunks = chunksOf(before)
  const pixels = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)))
  const data = deflateSync(pixels, { level: 9, memLevel: 9 })
  const kept = chunks.filter(({ type }) => KEPT.includes(type))
  const after = Buffer.concat([
    before.subarray(0, SIGNATURE_BYTES),
    ...kept.slice(0, -1).map(encode),
    encode({ type: 'IDAT', data }),
    ...kept.slice(-1).map(encode),
  ])
  if (after.length < before.length) writeFileSync(file, after)
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = []
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at)
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return chunks
}

function encode({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
