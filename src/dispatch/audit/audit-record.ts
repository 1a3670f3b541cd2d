// What the audit log says of one attempt to call a tool.

import type { Caller } from '../../core/call.ts'
import { encodeResult } from '../../core/encode-result.ts'
import type { CommandResult } from '../../core/result.ts'
import { hashArguments, keyedHash } from './argument-hash.ts'
import { sampleOf } from './argument-sample.ts'
import { type Shape, shapeOf } from './argument-shape.ts'
import { valuesOf } from './argument-values.ts'
import { type Redact, redactedText } from './redacted-text.ts'

export interface Attempt {
  readonly caller: Caller
  /** As far as they are known: an attempt to call what does not exist is one too. */
  readonly server: string
  readonly tool: string
  readonly input: unknown
  readonly result: CommandResult
  /** By the clock, in milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  readonly traceId?: string
}

export interface AuditRecord {
  readonly time: string
  readonly event: 'call'
  readonly caller: AuditedCaller
  readonly server: string
  readonly tool: string
  /** `ok`, or the code of the error. */
  readonly outcome: string
  readonly durationMs: number
  readonly traceId?: string
  readonly arguments: {
    readonly bytes: number
    readonly hash: string
    readonly shape: Shape
    /** They are larger than what was looked at: `bytes` and `hash` are of that. */
    readonly partial?: true
  }
  readonly values?: unknown
  readonly result: { readonly bytes: number; readonly blocks: number }
}

/** Written before a call where none may run that is not in the log. */
export interface StartedRecord extends Partial<Pick<AuditRecord, 'caller' | 'server' | 'tool' | 'traceId'>> {
  readonly time: string
  readonly event: 'started'
}

/** A caller looked for tools. Its words are values: there is such a line only where values are asked for. */
export interface SearchRecord extends Pick<AuditRecord, 'time' | 'caller'> {
  readonly event: 'search'
  readonly query: string
}

export interface AuditedCaller {
  readonly principal: string
  readonly transport: string
  readonly era: string
  /** A hash: whoever holds the id of a session can speak for it. */
  readonly session?: string
}

export interface RecordOptions {
  readonly key: Uint8Array
  readonly redact: Redact
  readonly values: boolean
  readonly now: () => number
}

const MAX_NAME_CHARS = 200
const MAX_QUERY_CHARS = 4_000

export function toRecord(attempt: Attempt, { key, redact, values, now }: RecordOptions): AuditRecord {
  const { startedAt, durationMs, input, result } = attempt
  const sampled = sampleOf(input)
  return {
    time: timeOf(startedAt, now),
    event: 'call',
    ...whoAndWhat(attempt, key, redact),
    outcome: result.success ? 'ok' : name(result.error?.code ?? 'UNKNOWN', redact),
    durationMs: Math.round(durationMs * 100) / 100,
    arguments: {
      ...hashArguments(sampled, key),
      shape: shapeOf(sampled.root, redact),
      ...(sampled.isPartial ? { partial: true as const } : {}),
    },
    ...(values ? { values: valuesOf(sampled.root, redact) } : {}),
    result: sizeOf(attempt.tool, result),
  }
}

export function toStarted(
  intended: Pick<Attempt, 'caller' | 'server' | 'tool' | 'traceId'> | undefined,
  { key, redact, now }: Omit<RecordOptions, 'values'>,
): StartedRecord {
  const time = timeOf(now(), now)
  return { time, event: 'started', ...(intended === undefined ? {} : whoAndWhat(intended, key, redact)) }
}

export function toSearch(
  { caller, query }: { readonly caller: Caller; readonly query: string },
  { key, redact, now }: Omit<RecordOptions, 'values'>,
): SearchRecord {
  return {
    time: timeOf(now(), now),
    event: 'search',
    caller: auditedCaller(caller, key, redact),
    query: redactedText({ text: query, chars: query.length }, MAX_QUERY_CHARS, redact),
  }
}

function whoAndWhat(
  { caller, server, tool, traceId }: Pick<Attempt, 'caller' | 'server' | 'tool' | 'traceId'>,
  key: Uint8Array,
  redact: Redact,
) {
  return {
    caller: auditedCaller(caller, key, redact),
    // The caller's words, where there is no such tool.
    server: name(server, redact),
    tool: name(tool, redact),
    ...(traceId === undefined ? {} : { traceId: name(traceId, redact) }),
  }
}

function auditedCaller(
  { principal, transport, era, sessionId }: Caller,
  key: Uint8Array,
  redact: Redact,
): AuditedCaller {
  return {
    principal: name(principal, redact),
    transport,
    era,
    ...(sessionId === undefined ? {} : { session: keyedHash(`session ${sessionId}`, key).slice(0, 16) }),
  }
}

function name(text: string, redact: Redact): string {
  return redactedText({ text, chars: text.length }, MAX_NAME_CHARS, redact)
}

function timeOf(ms: number, now: () => number): string {
  // A time that is none would throw.
  return new Date(Math.abs(ms) <= 8.64e15 ? ms : now()).toISOString()
}

function sizeOf(tool: string, result: CommandResult): AuditRecord['result'] {
  if (result.wire !== undefined) return sizeOfBlocks(result.wire.content)
  // The front door sends the same, so it is not written twice.
  const { json, content } = encodeResult(tool, result)
  const { bytes, blocks } = sizeOfBlocks(content)
  return { bytes: bytes + Buffer.byteLength(json), blocks: blocks + 1 }
}

function sizeOfBlocks(content: readonly object[]): AuditRecord['result'] {
  let bytes = 0
  for (const block of content) bytes += blockBytes(block)
  return { bytes, blocks: content.length }
}

/** Of its text or its data, in base64 as they are sent. */
function blockBytes(block: object): number {
  const held =
    'resource' in block && typeof block.resource === 'object' && block.resource !== null ? block.resource : block
  if ('text' in held && typeof held.text === 'string') return Buffer.byteLength(held.text)
  if ('data' in held && typeof held.data === 'string') return held.data.length
  if ('blob' in held && typeof held.blob === 'string') return held.blob.length
  return 0
}
