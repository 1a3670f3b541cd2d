// The parts of a result that cost tokens: its text, its content blocks and its structured content, within size limits.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { encodeResult } from '../../core/encode-result.ts'
import { isRecord } from '../../core/is-record.ts'
import type { CommandResult } from '../../core/result.ts'
import { cutLongText } from '../../core/text.ts'
import { type Layout, looksLikeJson } from './cut.ts'

interface Piece {
  /** The text of the block. Undefined for binary data. */
  readonly text: string | undefined
  readonly block: ContentBlock
  /** The block with a shorter text. */
  withText(text: string): ContentBlock
}

interface ByteLimits {
  /** The limit for one image, audio clip or file. */
  readonly maxBlockBytes: number
  /** The limit for all of them in one result. */
  readonly maxBinaryBytes: number
}

/** With more text blocks than this, their ends are not kept, and the text is cut like that of one block. */
const MAX_ENDS = 1_000

/**
 * The limit for all fields next to `content` except `structuredContent`. The fields of all blocks next to their text
 * and data have a limit of the same size.
 */
const MAX_FIELD_CHARS = 65_536
/** Further text blocks are joined into one. Further blocks of other types are left out. */
const MAX_BLOCKS = 1_000

/**
 * Divides a result into its parts. Undefined if it cannot be sent. `structured` is `structuredContent` as JSON, or an
 * empty string. `isChanged`: blocks or fields were left out or joined, so the blocks in `pieces` must be sent.
 */
export function toAnswer(result: CommandResult, limits: ByteLimits) {
  const given = result.wire ?? wireOf(result)
  if (given === undefined) return undefined
  const wire = boundedWire(given)
  const structured = wire.structuredContent === undefined ? '' : (JSON.stringify(wire.structuredContent) ?? '')
  const { pieces, leftOut } = toPieces(wire.content, limits)
  return { wire, pieces, isChanged: wire !== given || leftOut > 0, structured }
}

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text ?? '').join('')
}

export function layoutOf(pieces: readonly Piece[], text: string): Layout {
  const ends: number[] = []
  let end = 0
  for (const { text: added = '' } of pieces) {
    end += added.length
    if (added !== '') ends.push(end)
  }
  return { ends: ends.length > MAX_ENDS ? [] : ends.slice(0, -1), isJson: looksLikeJson(text) }
}

/** The blocks that the front door would send, without the copy of the text in `structuredContent`. */
function wireOf(result: CommandResult): CallToolResult | undefined {
  const { isSound, json, content } = encodeResult('result', result)
  if (!isSound) return undefined
  return { content: [textBlock(json), ...content], ...(result.success ? {} : { isError: true }) }
}

/**
 * Splits content blocks into text, which can be cut, and binary data, which cannot. `leftOut` is the number of binary
 * blocks that exceeded a limit: each is replaced with a line of text.
 */
export function toPieces(content: readonly ContentBlock[], { maxBlockBytes, maxBinaryBytes }: ByteLimits) {
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

/**
 * Limits the size of everything except text, binary data and `structuredContent`: other fields, metadata and the number
 * of blocks. Returns the same object if it is small enough.
 */
function boundedWire(wire: CallToolResult): CallToolResult {
  const { content, structuredContent, isError, ...fields } = wire
  const chars = charsOf(fields)
  const blocks = content.length > MAX_BLOCKS ? firstBlocks(content) : content
  const shortened = shortenBlocks(blocks)
  if (chars <= MAX_FIELD_CHARS) return shortened === content ? wire : { ...wire, content: shortened }
  const notice = textBlock(fieldsNotice('fields beside the content', chars))
  return {
    content: [...shortened, notice],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
  }
}

function firstBlocks(content: readonly ContentBlock[]): ContentBlock[] {
  const further = content.slice(MAX_BLOCKS)
  const texts = further.flatMap((block) => plainText(block) ?? [])
  const others = further.length - texts.length
  const what = others === 1 ? '1 block that is not text' : `${others.toLocaleString('en-US')} blocks that are not text`
  const notice = textBlock(`[left out: ${what}; too many to pass on]`)
  const rest = texts.join('')
  return [...content.slice(0, MAX_BLOCKS), ...(rest === '' ? [] : [textBlock(rest)]), ...(others === 0 ? [] : [notice])]
}

/** Returns the same list if nothing was removed. */
function shortenBlocks(content: CallToolResult['content']): CallToolResult['content'] {
  let room = MAX_FIELD_CHARS
  const shortened = content.map((block) => {
    const chars = charsBeside(block)
    if (chars <= room) {
      room -= chars
      return block
    }
    const text = plainText(block)
    return textBlock(text ?? fieldsNotice(`${block.type} with its fields`, chars))
  })
  return shortened.every((block, index) => block === content[index]) ? content : shortened
}

function plainText(block: ContentBlock): string | undefined {
  if (block.type === 'text') return String(block.text)
  if (block.type !== 'resource' || !isRecord(block.resource) || !('text' in block.resource)) return undefined
  return String(block.resource.text)
}

/**
 * The JSON length of the fields next to the text or data. 0 for blocks of other types: all of their JSON counts as
 * text, because the model reads it.
 */
function charsBeside(block: ContentBlock): number {
  if (block.type === 'text') {
    const { type: _type, text: _text, ...fields } = block
    return charsOf(fields)
  }
  if (block.type === 'image' || block.type === 'audio') {
    const { type: _type, data: _data, ...fields } = block
    return charsOf(fields)
  }
  if (block.type !== 'resource' || !isRecord(block.resource)) return 0
  const { type: _type, resource, ...fields } = block
  const { text: _text, blob: _blob, ...about } = { text: '', blob: '', ...resource }
  return charsOf({ ...fields, about })
}

/** Most blocks have no further fields: the loop then ends without a call of JSON.stringify. */
function charsOf(fields: object): number {
  for (const _key in fields) return JSON.stringify(fields).length
  return 0
}

function fieldsNotice(what: string, chars: number): string {
  return `[left out: ${what}, ${chars.toLocaleString('en-US')} characters of JSON; too large to pass on]`
}
