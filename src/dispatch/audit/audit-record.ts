// The records of the audit log: a call, the start of a call, a search.

import type { Caller } from '../../core/call.ts'
import { encodeResult } from '../../core/encode-result.ts'
import type { CommandResult } from '../../core/result.ts'
import { hashArguments, type Redact, redactedText, type Shape, shapeOf, valuesOf } from './argument-record.ts'
import { type Sampled, sampleOf } from './argument-sample.ts'
import type { KeyedHash } from './keyed-hash.ts'

export interface Attempt {
  readonly caller: Caller
  /** `server` and `tool` are the names in the request if the tool does not exist. */
  readonly server: string
  readonly tool: string
  readonly input: unknown
  readonly result: CommandResult
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
}

/** A call that has not run yet. */
export type IntendedCall = Pick<Attempt, 'caller' | 'server' | 'tool'>

/** The data from which the record of an attempt is made. Later changes of the arguments do not affect it. */
export interface NotedAttempt extends Pick<Attempt, 'caller' | 'server' | 'tool' | 'startedAt' | 'durationMs'> {
  readonly outcome: string
  readonly sampled: Sampled
  /** The size of the result, or the content blocks of an upstream server, which are counted later. */
  readonly result: AuditRecord['result'] | readonly object[]
  /** Estimated memory use. */
  readonly heldBytes: number
}

export interface AuditRecord {
  readonly time: string
  readonly event: 'call'
  readonly caller: AuditedCaller
  readonly server: string
  readonly tool: string
  /** `ok`, or the code of the error. `UNKNOWN` if the error has no code. */
  readonly outcome: string
  readonly durationMs: number
  readonly arguments: {
    readonly bytes: number
    readonly hash: string
    readonly shape: Shape
    /** Set if the sample of the arguments is not complete: `bytes` and `hash` are then those of the sample. */
    readonly partial?: true
  }
  readonly values?: unknown
  readonly result: { readonly bytes: number; readonly blocks: number }
}

interface AuditedCaller {
  readonly principal: string
  readonly transport: string
  readonly era: string
  /** A hash, because the session id itself would give access to the session. */
  readonly session?: string
}

interface RecordOptions {
  readonly hash: KeyedHash
  readonly redact: Redact
  readonly values: boolean
  readonly now: () => number
}

const MAX_NAME_CHARS = 200
const MAX_QUERY_CHARS = 4_000
/** Estimated memory use of a noted attempt without its arguments and its result. */
const NOTE_BYTES = 512
const MAX_SESSIONS = 1_000
const SESSION_HASH_CHARS = 16

/** Runs before the caller gets the answer, so it must be cheap. Copies the arguments, which could change later. */
export function noteAttempt(attempt: Attempt): NotedAttempt {
  // Absent arguments are an empty object for the tool.
  const { caller, server, tool, input = {}, result, startedAt, durationMs } = attempt
  const sampled = sampleOf(input)
  const outcome = result.success ? 'ok' : (result.error?.code ?? 'UNKNOWN')
  const content = result.wire?.content
  const size = content ?? sizeOfCommandResult(tool, result)
  const heldBytes = NOTE_BYTES + sampled.heldBytes + (content === undefined ? 0 : charsOfBlocks(content))
  return { caller, server, tool, startedAt, durationMs, outcome, sampled, result: size, heldBytes }
}

/** Hashes, redacts and counts. A strict audit runs it at once, a lenient one later, if possible after the answer. */
export function recordOf(noted: NotedAttempt, { hash, redact, values, now }: RecordOptions): AuditRecord {
  const { startedAt, durationMs, outcome, sampled, result } = noted
  const { bytes, hash: digits } = hashArguments(sampled, hash)
  const shape = shapeOf(sampled.root, redact)
  // The record is built without spreads, because it is made for every call and copies take time.
  const record: { -readonly [K in keyof AuditRecord]: AuditRecord[K] } = {
    time: timeOf(startedAt, now),
    event: 'call',
    caller: auditedCaller(noted.caller, hash, redact),
    // If the tool does not exist, the caller chose these names, and they may contain secrets.
    server: shortName(noted.server, redact),
    tool: shortName(noted.tool, redact),
    outcome: outcome === 'ok' ? outcome : shortName(outcome, redact),
    durationMs: Math.round(durationMs * 100) / 100,
    arguments: sampled.isPartial ? { bytes, hash: digits, shape, partial: true } : { bytes, hash: digits, shape },
    result: 'bytes' in result ? result : sizeOfBlocks(result),
  }
  if (values) record.values = valuesOf(sampled.root, redact)
  return record
}

/** The line that a strict audit writes before the call runs. */
export function toStartedRecord(
  { caller, server, tool }: IntendedCall,
  { hash, redact, now }: Omit<RecordOptions, 'values'>,
) {
  return {
    time: timeOf(now(), now),
    event: 'started',
    caller: auditedCaller(caller, hash, redact),
    server: shortName(server, redact),
    tool: shortName(tool, redact),
  }
}

/** The line of a search for tools. The query is a value, so this line is written only if `values` is set. */
export function toSearchRecord(
  { caller, query }: { readonly caller: Caller; readonly query: string },
  { hash, redact, now }: Omit<RecordOptions, 'values'>,
) {
  return {
    time: timeOf(now(), now),
    event: 'search',
    caller: auditedCaller(caller, hash, redact),
    query: redactedText({ text: query, chars: query.length }, MAX_QUERY_CHARS, redact),
  }
}

function auditedCaller(
  { principal, transport, era, sessionId }: Caller,
  hash: KeyedHash,
  redact: Redact,
): AuditedCaller {
  return {
    principal: shortName(principal, redact),
    transport,
    era,
    ...(sessionId === undefined ? {} : { session: sessionHash(sessionId, hash) }),
  }
}

// Cached: a session makes many calls, and one hash costs as much as the rest of a record.
const sessionHashes = new WeakMap<KeyedHash, Map<string, string>>()

function sessionHash(sessionId: string, hash: KeyedHash): string {
  const known = sessionHashes.get(hash) ?? new Map<string, string>()
  const digits = known.get(sessionId) ?? hash(`session ${sessionId}`).slice(0, SESSION_HASH_CHARS)
  if (known.size >= MAX_SESSIONS) known.clear()
  known.set(sessionId, digits)
  sessionHashes.set(hash, known)
  return digits
}

function shortName(text: string, redact: Redact): string {
  return redactedText({ text, chars: text.length }, MAX_NAME_CHARS, redact)
}

function timeOf(ms: number, now: () => number): string {
  // toISOString() throws for a time out of range.
  return new Date(Math.abs(ms) <= 8.64e15 ? ms : now()).toISOString()
}

function sizeOfCommandResult(tool: string, result: CommandResult): AuditRecord['result'] {
  // If the call ran, the dispatcher has cached the encoding. A refusal is encoded here, but it is small.
  const { json, content } = encodeResult(tool, result)
  const { bytes, blocks } = sizeOfBlocks(content)
  return { bytes: bytes + Buffer.byteLength(json), blocks: blocks + 1 }
}

function sizeOfBlocks(content: readonly object[]): AuditRecord['result'] {
  let bytes = 0
  for (const block of content) {
    const { text, data } = payloadOf(block)
    bytes += text === undefined ? (data?.length ?? 0) : Buffer.byteLength(text)
  }
  return { bytes, blocks: content.length }
}

function charsOfBlocks(content: readonly object[]): number {
  let chars = 0
  for (const block of content) {
    const { text, data } = payloadOf(block)
    chars += (text ?? data ?? '').length
  }
  return chars
}

/** The text of a block, or its data in base64 as it is sent. */
function payloadOf(block: object): { readonly text?: string; readonly data?: string } {
  const held =
    'resource' in block && typeof block.resource === 'object' && block.resource !== null ? block.resource : block
  if ('text' in held && typeof held.text === 'string') return { text: held.text }
  if ('data' in held && typeof held.data === 'string') return { data: held.data }
  if ('blob' in held && typeof held.blob === 'string') return { data: held.blob }
  return {}
}
