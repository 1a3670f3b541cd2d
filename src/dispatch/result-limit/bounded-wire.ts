// Limits the size of everything in a result except text and binary data: fields, metadata and the number of blocks.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { isRecord } from '../../core/is-record.ts'
import { textBlock } from './pieces.ts'

/** The limit for all fields next to `content`, and again for all fields next to the text and data inside the blocks. */
const MAX_FIELD_CHARS = 65_536
/** Further text blocks are joined into one. Further blocks of other types are left out. */
const MAX_BLOCKS = 1_000

/** Returns the same object if it is small enough. */
export function boundedWire(wire: CallToolResult): CallToolResult {
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
  return [...content.slice(0, MAX_BLOCKS), textBlock(texts.join('')), ...(others === 0 ? [] : [notice])]
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
