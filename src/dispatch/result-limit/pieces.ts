// Splits the content blocks of a result into text, which can be cut, and binary data, which cannot.

import type { ContentBlock } from '@modelcontextprotocol/server'
import { isRecord } from '../../core/is-record.ts'
import { cutLongText } from '../../core/text.ts'

export interface Piece {
  /** The text of the block. Undefined for binary data. */
  readonly text: string | undefined
  readonly block: ContentBlock
  /** The block with a shorter text. */
  withText(text: string): ContentBlock
}

export interface ByteLimits {
  /** The limit for one image, audio clip or file. */
  readonly maxBlockBytes: number
  /** The limit for all of them in one result. */
  readonly maxBinaryBytes: number
}

interface Pieces {
  readonly pieces: readonly Piece[]
  /** The number of binary blocks that were too large. Each is replaced with a text line. */
  readonly leftOut: number
}

export function toPieces(content: readonly ContentBlock[], { maxBlockBytes, maxBinaryBytes }: ByteLimits): Pieces {
  let leftOut = 0
  let room = maxBinaryBytes
  const pieces = content.map((block): Piece => {
    const binary = binaryOf(block)
    if (binary === undefined) return textPiece(block)
    const fits = binary.bytes <= Math.min(maxBlockBytes, room)
    if (fits) room -= binary.bytes
    else leftOut += 1
    return fits ? { text: undefined, block, withText: () => block } : textPiece(textBlock(leftOutNotice(binary)))
  })
  return { pieces, leftOut }
}

/**
 * The blocks for the first `end` characters of text. Binary blocks are always included, because later parts have only
 * text.
 */
export function blocksUpTo(pieces: readonly Piece[], end: number): ContentBlock[] {
  let start = 0
  return pieces.flatMap((piece) => {
    const { text, block } = piece
    if (text === undefined) return [block]
    const room = end - start
    start += text.length
    if (room <= 0) return []
    return [text.length <= room ? block : piece.withText(text.slice(0, room))]
  })
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

export function textPiece(block: ContentBlock): Piece {
  if (block.type === 'text' && typeof block.text === 'string')
    return { text: block.text, block, withText: (text) => ({ ...block, text }) }
  if (block.type === 'resource' && isRecord(block.resource) && 'text' in block.resource) {
    const { resource } = block
    return { text: String(resource.text), block, withText: (text) => ({ ...block, resource: { ...resource, text } }) }
  }
  // A link or an unknown type of block. The model reads its JSON, so it is counted and cut as text.
  return { text: JSON.stringify(block), block, withText: textBlock }
}

/** A block with data in base64: an image, an audio clip or a file. */
interface BinaryBlock {
  /** `image`, `audio` or `file`. */
  readonly what: string
  readonly mimeType: unknown
  readonly bytes: number
}

function binaryOf(block: ContentBlock): BinaryBlock | undefined {
  if ((block.type === 'image' || block.type === 'audio') && typeof block.data === 'string')
    return { what: block.type, mimeType: block.mimeType, bytes: Buffer.byteLength(block.data, 'base64') }
  if (block.type !== 'resource' || !isRecord(block.resource) || !('blob' in block.resource)) return undefined
  const { mimeType, blob } = block.resource
  return { what: 'file', mimeType, bytes: Buffer.byteLength(String(blob), 'base64') }
}

function leftOutNotice({ what, mimeType, bytes }: BinaryBlock): string {
  const type = typeof mimeType === 'string' ? cutLongText(mimeType, 80) : 'unknown type'
  return `[left out: ${what}, ${type}, ${bytes.toLocaleString('en-US')} bytes; too large to pass on]`
}
