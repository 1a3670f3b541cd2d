// What an answer carries besides its text and bytes, kept small: nobody reads megabytes of it.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { isRecord } from '../../core/schema.ts'
import { leftOutNotice, textBlock } from './pieces.ts'

/** Of all fields that stand beside the content, and of all that stand beside the texts and bytes in it. */
const MAX_FIELD_CHARS = 65_536
/** Further ones are one text, or left out where they are none. */
const MAX_BLOCKS = 1_000

/** The answer itself where it is small. */
export function boundedWire(wire: CallToolResult): CallToolResult {
  const { content, structuredContent, isError, ...fields } = wire
  const chars = charsOf(fields)
  const blocks = content.length > MAX_BLOCKS ? firstBlocks(content) : content
  const slim = slimBlocks(blocks)
  if (chars <= MAX_FIELD_CHARS) return slim === content ? wire : { ...wire, content: slim }
  const notice = textBlock(leftOutNotice({ what: 'fields beside the content', mimeType: 'JSON', bytes: chars }))
  return {
    content: [...slim, notice],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
  }
}

function firstBlocks(content: readonly ContentBlock[]): ContentBlock[] {
  const further = content.slice(MAX_BLOCKS)
  const texts = further.flatMap((block) => plainText(block) ?? [])
  const others = further.length - texts.length
  const notice = textBlock(`[left out: ${others.toLocaleString('en-US')} blocks that are no text; too many to pass on]`)
  return [...content.slice(0, MAX_BLOCKS), textBlock(texts.join('')), ...(others === 0 ? [] : [notice])]
}

/** The list itself where nothing had to go. */
function slimBlocks(content: CallToolResult['content']): CallToolResult['content'] {
  let room = MAX_FIELD_CHARS
  const slim = content.map((block) => {
    const chars = charsBeside(block)
    if (chars <= room) {
      room -= chars
      return block
    }
    const text = plainText(block)
    return textBlock(text ?? leftOutNotice({ what: block.type, mimeType: 'with its fields', bytes: chars }))
  })
  return slim.every((block, index) => block === content[index]) ? content : slim
}

function plainText(block: ContentBlock): string | undefined {
  if (block.type === 'text') return String(block.text)
  if (block.type !== 'resource' || !isRecord(block.resource) || !('text' in block.resource)) return undefined
  return String(block.resource.text)
}

/** Blocks of other kinds are read as the JSON that they are, and so measured as text. */
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

function charsOf(fields: object): number {
  for (const _key in fields) return JSON.stringify(fields).length
  return 0
}
