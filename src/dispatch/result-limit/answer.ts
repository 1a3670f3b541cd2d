// The parts of a result that cost tokens: its text, its content blocks and its structured content.

import type { CallToolResult } from '@modelcontextprotocol/server'
import { encodeResult } from '../../core/encode-result.ts'
import type { CommandResult } from '../../core/result.ts'
import { type Layout, looksLikeJson } from './boundary.ts'
import { boundedWire } from './bounded-wire.ts'
import { type ByteLimits, type Piece, textBlock, toPieces } from './pieces.ts'

interface MeasuredAnswer {
  readonly wire: CallToolResult
  readonly pieces: readonly Piece[]
  /** True if blocks or fields were left out or joined, so that the blocks in `pieces` must be sent. */
  readonly isChanged: boolean
  /** `structuredContent` as JSON, or an empty string. */
  readonly structured: string
}

/** With more blocks than this, the block ends are dropped and the text is continued as one block. */
const MAX_ENDS = 1_000

/** Undefined for a result that cannot be sent. */
export function toAnswer(result: CommandResult, limits: ByteLimits): MeasuredAnswer | undefined {
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

/** The text that the front door would send, without its copy in `structuredContent`. */
function wireOf(result: CommandResult): CallToolResult | undefined {
  const { isSound, json, content } = encodeResult('result', result)
  if (!isSound) return undefined
  return { content: [textBlock(json), ...content], ...(result.success ? {} : { isError: true }) }
}
