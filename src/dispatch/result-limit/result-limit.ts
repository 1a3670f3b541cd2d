// Limits the tokens of a result. A longer text is cut and kept for a while, and the rest is read with its handle.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { wireJson } from '../../core/encode-result.ts'
import { fail } from '../../core/errors.ts'
import { type CommandResult, failure, RESULT_META, success } from '../../core/result.ts'
import { cutLongText } from '../../core/text.ts'
import { beforePair, loadTokenCounter } from '../../core/tokens.ts'
import { checkNumber } from '../middleware/check-number.ts'
import { blocksUpTo, layoutOf, textBlock, textOf, textPiece, toAnswer } from './answer.ts'
import { cutPart, type Layout, type Part } from './cut.ts'
import { createHandles, type HandlesOptions, type KeptText } from './handles.ts'

export interface ResultLimitOptions extends Pick<HandlesOptions, 'store'>, Partial<Omit<HandlesOptions, 'store'>> {
  readonly maxTokens?: number
  /** The limit for one decoded image, audio clip or file. */
  readonly maxBlockBytes?: number
  /** The limit for all images, audio clips and files of one result. */
  readonly maxBinaryBytes?: number
}

export interface ResultLimit {
  /** Returns the same result if it is within the limit. `owner` identifies the caller. */
  limit(result: CommandResult, owner: string, readTool?: string): CommandResult | Promise<CommandResult>
  /** Returns the part that starts at `offset`, counted in UTF-16 code units. */
  read(handle: string, offset: number, owner: string, readTool?: string): Promise<CommandResult>
  [Symbol.asyncDispose](): Promise<void>
}

const MIB = 1_048_576
/** The defaults of `limits.maxResultTokens`, `limits.maxHandles` and `limits.maxHandleBytes`. */
export const MAX_RESULT_TOKENS = 24_000
export const MAX_HANDLES = 256
export const MAX_HANDLE_BYTES = 256 * MIB
/** Structured content stays next to a cut text if its JSON has at most `maxTokens` characters and at most this many. */
const MAX_STRUCTURED_CHARS = 4_000
const MAX_MESSAGE_CHARS = 2_000
/** How many characters to load for each token of the limit. Most texts have fewer per token, so one load is enough. */
const CHARS_PER_TOKEN = 6
const PLAIN: Layout = { ends: [], isJson: false }
/** The tool that reads the next part, if the caller of these functions names no other. */
const READ_TOOL = 'execute_tool'

export function createResultLimit(options: ResultLimitOptions): ResultLimit {
  const {
    store,
    maxTokens = MAX_RESULT_TOKENS,
    maxBlockBytes = 4 * MIB,
    maxBinaryBytes = 16 * MIB,
    maxHandles = MAX_HANDLES,
    maxHandleBytes = MAX_HANDLE_BYTES,
    memoryBytes = 32 * MIB,
    ttlMs = 30 * 60_000,
    now = Date.now,
  } = options
  const atLeastOne = { maxTokens, maxHandles, ttlMs }
  const bytes = { maxBlockBytes, maxBinaryBytes, maxHandleBytes, memoryBytes }
  for (const [name, value] of Object.entries({ ...atLeastOne, ...bytes }))
    checkNumber('result limit', name, value, { min: name in bytes ? 0 : 1, max: Number.MAX_SAFE_INTEGER, whole: true })
  const handles = createHandles({ store, maxHandles, maxHandleBytes, memoryBytes, ttlMs, now })

  // A token has at least one byte, and a UTF-16 code unit has at most three. Therefore most results need no counting.
  const mayBeOver = (text: string) => text.length * 3 > maxTokens && Buffer.byteLength(text) > maxTokens
  const cutText: CutText = async (text, start, layout) =>
    cutPart(text, start, layout, { maxTokens, count: await loadTokenCounter() })
  const firstPart = async (text: string, layout: Layout): Promise<Part> =>
    mayBeOver(text) ? cutText(text, 0, layout) : { end: text.length, tokens: 0 }
  const isOver = async (text: string) => (await firstPart(text, PLAIN)).end < text.length

  /** Whether the JSON is so short that its tokens need no counting. `wireJson` caches it, and the front door sends it. */
  const isShortText = (result: CommandResult): boolean => {
    if (result.wire?.content.every(isText) !== true) return false
    const json = wireJson(result)
    return json !== undefined && json.length * 3 <= maxTokens
  }

  const cut = async (result: CommandResult, owner: string, readTool: string): Promise<CommandResult> => {
    const answer = toAnswer(result, { maxBlockBytes, maxBinaryBytes })
    if (answer === undefined) return result
    const { wire, isChanged, structured } = answer
    // The protocol asks servers to repeat structured content in the text. If there is too little text for that, the
    // structured content is cut and continued like text.
    const isInText = textOf(answer.pieces).length * 2 >= structured.length
    const isAddedToText = !isInText && (await isOver(structured))
    const pieces = isAddedToText ? [...answer.pieces, textPiece(textBlock(structured))] : answer.pieces
    const text = textOf(pieces)
    const layout = layoutOf(pieces, text)
    const part = await firstPart(text, layout)
    if (part.end === text.length) {
      const content = pieces.map(({ block }) => block)
      if (isInText && (await isOver(structured))) return { ...result, wire: withoutStructured(wire, content) }
      return isChanged ? { ...result, wire: { ...wire, content } } : result
    }
    const handle = await handles.keep(text, layout, owner)
    const cutAt = { start: 0, ...part, totalChars: text.length, handle, readTool }
    const content = [...blocksUpTo(pieces, part.end), textBlock(cutNotice(cutAt))]
    const isSmall = structured.length <= Math.min(MAX_STRUCTURED_CHARS, maxTokens)
    const kept = isSmall ? { ...wire, content } : withoutStructured(wire, content)
    return cutResult(result, text.slice(0, part.end), { ...kept, _meta: { ...wire._meta, ...cutMeta(cutAt) } })
  }

  return {
    limit: (result, owner, readTool = READ_TOOL) => (isShortText(result) ? result : cut(result, owner, readTool)),

    async read(handle, offset, owner, readTool = READ_TOOL) {
      const kept = await handles.open(handle, owner)
      if (kept === undefined) return fail('HANDLE_NOT_FOUND', { handle })
      if (!Number.isInteger(offset) || offset < 0 || offset >= kept.length) return badOffset(readTool, kept.length)
      const part = await readPart(kept, offset, { cutText, charsAtFirst: maxTokens * CHARS_PER_TOKEN })
      if (part === undefined) return fail('HANDLE_NOT_FOUND', { handle })
      const cut = { ...part, totalChars: kept.length, handle, readTool }
      const blocks = part.texts.map(textBlock)
      const content = part.end < kept.length ? [...blocks, textBlock(cutNotice(cut))] : blocks
      return success(part.texts.join(''), { wire: { content, _meta: cutMeta(cut) } })
    },

    [Symbol.asyncDispose]: () => handles[Symbol.asyncDispose](),
  }
}

function isText({ type }: ContentBlock): boolean {
  return type === 'text'
}

/** Adds no notice, because servers are asked to repeat structured content in the text. */
function withoutStructured({ structuredContent: _left, ...wire }: CallToolResult, content: ContentBlock[]) {
  return { ...wire, content }
}

/** Only `wire` is sent. The other fields are for code that inspects results. */
function cutResult({ error }: CommandResult, text: string, wire: CallToolResult): CommandResult {
  if (error === undefined) return success(text, { wire })
  const { details: _details, cause: _cause, ...rest } = error
  return failure({ ...rest, message: cutLongText(error.message, MAX_MESSAGE_CHARS) }, { wire })
}

function badOffset(name: string, length: number): CommandResult {
  const message = `'offset' must be a whole number from 0 to ${length - 1}`
  return fail('VALIDATION_ERROR', {
    name,
    issues: [{ path: 'offset', message }],
    hint: 'Use the offset at the end of the previous part, or 0 for the start.',
  })
}

type CutText = (text: string, start: number, layout: Layout) => Promise<Part>

interface ReadPart extends Part {
  readonly start: number
  /** One text for each original block. */
  readonly texts: readonly string[]
}

/** Reads the part of a kept text that starts at an offset. Undefined if a page of the text is missing. */
async function readPart(
  kept: KeptText,
  offset: number,
  { cutText, charsAtFirst }: { readonly cutText: CutText; readonly charsAtFirst: number },
): Promise<ReadPart | undefined> {
  // Reads from one character earlier, to detect an offset in the middle of a surrogate pair.
  const from = Math.max(0, offset - 1)
  // Reads more if these characters have fewer tokens than the limit.
  for (let chars = charsAtFirst; ; chars *= 4) {
    const to = Math.min(kept.length, offset + chars)
    const text = await kept.slice(from, to)
    if (text === undefined || text.length < to - from) return undefined
    const start = beforePair(text, offset - from)
    const ends = kept.layout.ends.map((end) => end - from)
    const { end, tokens } = await cutText(text, start, { ...kept.layout, ends })
    if (end === text.length && to < kept.length) continue
    return { start: from + start, end: from + end, tokens, texts: splitAt(text, start, end, ends) }
  }
}

function splitAt(text: string, start: number, end: number, ends: readonly number[]): string[] {
  const stops = [start, ...ends.filter((stop) => stop > start && stop < end), end]
  return stops.slice(1).map((stop, index) => text.slice(stops[index], stop))
}

interface TextCut {
  readonly start: number
  readonly end: number
  readonly totalChars: number
  /** The number of tokens of this part. */
  readonly tokens: number
  /** Absent if the text could not be kept. */
  readonly handle?: string | undefined
  /** The tool that reads the next part. */
  readonly readTool: string
}

/** The text that tells a model that this part was cut, and how to read the rest. */
function cutNotice({ start, end, totalChars, tokens, handle, readTool }: TextCut): string {
  // An estimate from the ratio in this part: counting the whole text would take seconds.
  const all = Math.max(tokens, Math.round((totalChars / (end - start)) * tokens))
  const what =
    start === 0
      ? `${inGroups(tokens)} of about ${inGroups(all)} tokens`
      : `characters ${inGroups(start)} to ${inGroups(end)} of ${inGroups(totalChars)}`
  if (handle === undefined) return `[cut: ${what}; the rest could not be kept; ask the tool for a smaller part]`
  return `[cut: ${what}; ${readTool} {"handle": "${handle}", "offset": ${end}} reads on]`
}

/** The handle, the next offset and the length of the text as `_meta`, for programs. */
function cutMeta({ end, totalChars, handle }: Omit<TextCut, 'readTool' | 'start' | 'tokens'>) {
  const next = handle === undefined || end >= totalChars ? {} : { nextOffset: end }
  return { [RESULT_META]: { ...(handle === undefined ? {} : { handle }), ...next, totalChars } }
}

function inGroups(value: number): string {
  return value.toLocaleString('en-US')
}
