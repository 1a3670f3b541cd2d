// A result as what can be sent: JSON, and MCP blocks beside it. What cannot be sent becomes the failure that says so.

import { type ContentBlock, isCallToolResult } from '@modelcontextprotocol/server'
import { fail } from './errors.ts'
import type { CommandResult } from './result.ts'
import { messageOf } from './text.ts'

export interface EncodedResult {
  /** False where it could not be sent, and `body` says why. */
  readonly isSound: boolean
  /** Without its content blocks. */
  readonly body: CommandResult
  readonly content: readonly ContentBlock[]
  /** The body as text. */
  readonly json: string
}

/** Far more than any data needs, and far less than the stack can bear when it is written once more on its way out. */
const MAX_DEPTH = 1_000

// The dispatcher, a batch and the front door look at the same result one after the other; it is written once.
const known = new WeakMap<CommandResult, EncodedResult>()

/** The result itself, where it can be sent. */
export function soundResult(name: string, result: CommandResult): CommandResult {
  const { isSound, body } = encodeResult(name, result)
  return isSound ? result : body
}

export function encodeResult(name: string, result: CommandResult): EncodedResult {
  const encoded = known.get(result) ?? encode(name, result)
  known.set(result, encoded)
  return encoded
}

function encode(name: string, result: CommandResult): EncodedResult {
  const { content = [], wire: _wire, ...body } = withoutErrorObjects(result)
  const json = toJson(body)
  const reason = json.ok ? contentProblem(content) : json.reason
  if (json.ok && reason === undefined) return { isSound: true, body, content, json: json.text }
  const refused = fail('INVALID_RESULT', { name, reason: reason ?? '' })
  return { isSound: false, body: refused, content: [], json: JSON.stringify(refused) }
}

/** An Error as `cause` would be an empty object in JSON, and its stack is nobody's business. */
function withoutErrorObjects(result: CommandResult): CommandResult {
  const { error } = result
  if (!(error?.cause instanceof Error)) return result
  return { ...result, error: { ...error, cause: error.cause.message } }
}

// What the SDK would refuse, it refuses with an error of the protocol that the model never sees.
function contentProblem(content: unknown): string | undefined {
  if (!Array.isArray(content)) return 'its content is not a list of MCP blocks'
  if (content.length === 0) return undefined
  const json = toJson(content)
  if (!json.ok) return json.reason
  return isCallToolResult({ content }) ? undefined : 'one of its content blocks is not one of MCP'
}

function toJson(value: unknown): { ok: true; text: string } | { ok: false; reason: string } {
  try {
    const text = JSON.stringify(value)
    if (isDeeperThan(text, MAX_DEPTH)) return { ok: false, reason: `it nests deeper than ${MAX_DEPTH} levels` }
    return { ok: true, text }
  } catch (error) {
    // A cycle, a bigint, or nesting deeper than the stack.
    return { ok: false, reason: `it is not JSON (${messageOf(error).split('\n', 1)[0]})` }
  }
}

function isDeeperThan(json: string, depth: number): boolean {
  // A bracket needs its partner: shorter text cannot be that deep, and most text is shorter.
  if (json.length < 2 * depth) return false
  let level = 0
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === 0x22) index = endOfString(json, index)
    else if (code === 0x5b || code === 0x7b) {
      if (++level > depth) return true
    } else if (code === 0x5d || code === 0x7d) level--
  }
  return false
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end > 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end
}

function isEscaped(json: string, position: number): boolean {
  let slashes = 0
  while (json.charCodeAt(position - 1 - slashes) === 0x5c) slashes++
  return slashes % 2 === 1
}
