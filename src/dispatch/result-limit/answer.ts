// An answer as its reader pays for it: one text with its layout, the blocks it is made of, and what is structured.

import type { CallToolResult } from '@modelcontextprotocol/server'
import { encodeResult } from '../../core/encode-result.ts'
import type { CommandResult } from '../../core/result.ts'
import { type Layout, looksLikeJson } from './boundary.ts'
import { boundedWire } from './bounded-wire.ts'
import { type ByteLimits, type Piece, textBlock, toPieces } from './pieces.ts'

export interface Answer {
  readonly wire: CallToolResult
  readonly pieces: readonly Piece[]
  /** Whether anything but text had to be left out. */
  readonly isChanged: boolean
  /** `structuredContent` as JSON; empty where there is none. */
  readonly structured: string
}

/** Past it a text is read on as one block: nobody needs to know where a thousand ended. */
const MAX_ENDS = 1_000

/** Undefined for what cannot be sent anyway. */
export function toAnswer(result: CommandResult, limits: ByteLimits): Answer | undefined {
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

/** The same text that the front door would send, without its copy as structured content. */
function wireOf(result: CommandResult): CallToolResult | undefined {
  const { isSound, json, content } = encodeResult('result', result)
  if (!isSound) return undefined
  return { content: [textBlock(json), ...content], ...(result.success ? {} : { isError: true }) }
}
