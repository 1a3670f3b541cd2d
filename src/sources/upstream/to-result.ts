// Converts the outcome of a call of an upstream tool: an answer to a result, and any other outcome to a failure.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { knownJson } from '../../core/attached-json.ts'
import { isDeeperThan } from '../../core/encode-result.ts'
import { fail } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { type FailureResult, RESULT_META, success } from '../../core/result.ts'
import { cutLongText } from '../../core/text.ts'
import type { ToolChange, ToolResult } from '../../core/tool.ts'
import type { LoginRequired } from './auth/login-errors.ts'
import type { CallOutcome } from './call-outcome.ts'

const MAX_REASON_CHARS = 2_000
/** Less than the maximum depth of a whole result, because data is wrapped before it is sent. */
const MAX_DATA_DEPTH = 900

/** `declined`: why we declined requests of the server during the call. Each reason is added as a block at the end. */
export function toResult(server: string, tool: string, answer: unknown, declined: readonly string[] = []): ToolResult {
  const failed = (reason: string, wire?: CallToolResult) =>
    fail(
      'TOOL_EXECUTION_ERROR',
      { server, name: tool, reason: cutLongText(reason, MAX_REASON_CHARS) },
      { details: { server, tool }, ...(wire === undefined ? {} : { wire }) },
    )
  const invalid = (reason: string) =>
    fail('INVALID_RESULT', { name: tool, reason, server }, { details: { server, tool } })
  if (!isRecord(answer)) return invalid('its answer is not an object')
  // An answer with known JSON has only a text, so it is never deep.
  if (knownJson.get(answer) === undefined && isNestedDeeper(answer, MAX_DATA_DEPTH))
    return invalid(`it nests deeper than ${MAX_DATA_DEPTH} levels`)
  const plain = declined.length === 0 ? plainText(answer) : undefined
  // The usual answer is not copied. `plainText` has checked its content.
  if (plain !== undefined) return success(dataOf(plain, 1), { wire: answer as CallToolResult })
  const { content = [], structuredContent, isError, resultType = 'complete' } = answer
  // A result that asks for input, or that a later protocol defines, would look empty without content. It is refused.
  if (resultType !== 'complete' && answer.content === undefined) {
    const type = String(resultType)
    return invalid(`the server answered with a result of the type '${type}', which its protocol does not have`)
  }
  if (!Array.isArray(content) || !content.every(isBlock)) return invalid('its content is not a list of content blocks')
  // The fields that the front door needs have been checked. The client checks the content of the blocks.
  const wire = { ...withoutOurMeta(answer), content: [...content, ...declined.map(noticeOf)] } as CallToolResult
  const text = textOf(content)
  if (isError === true)
    return failed(ownErrorText(structuredContent) || text.trim() || `'${tool}' failed and gave no reason`, wire)
  const others = content.filter((block) => block.type !== 'text')
  const texts = content.length - others.length
  return success(structuredContent === undefined ? dataOf(text, texts) : structuredContent, {
    ...(others.length === 0 ? {} : { content: others }),
    wire,
  })
}

function noticeOf(reason: string): ContentBlock {
  return { type: 'text', text: `[toolcrib] Note: ${reason}.` }
}

/** Removes the field for our own result handles, because a handle of the server would be mistaken for one of ours. */
function withoutOurMeta(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { _meta } = answer
  if (!isRecord(_meta) || !Object.hasOwn(_meta, RESULT_META)) return answer
  const { [RESULT_META]: _handle, ...rest } = _meta
  return { ...answer, _meta: rest }
}

/** The error message of a server that is built with Toolcrib, without the JSON around it. */
function ownErrorText(structuredContent: unknown): string | undefined {
  const { error } = isRecord(structuredContent) ? structuredContent : {}
  const { message, suggestion } = isRecord(error) ? error : {}
  if (typeof message !== 'string') return undefined
  return typeof suggestion === 'string' ? `${message}\n${suggestion}` : message
}

function isBlock(block: unknown): block is ContentBlock {
  return isRecord(block) && typeof block.type === 'string'
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])).join('\n')
}

/** The text of a successful answer that has only one text block and needs no change. */
function plainText({ content, structuredContent, isError, _meta }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(content) || content.length !== 1 || structuredContent !== undefined || isError === true) return
  const [block]: readonly unknown[] = content
  if (!isRecord(block) || block.type !== 'text' || typeof block.text !== 'string') return
  return isRecord(_meta) && Object.hasOwn(_meta, RESULT_META) ? undefined : block.text
}

/** Parsed JSON if a single block contains it, otherwise the text. Null without any text. */
function dataOf(text: string, texts: number): unknown {
  if (texts === 0) return null
  // Text that cannot be JSON is not parsed: the exception would cost more than the rest of the call.
  if (texts > 1 || !/^\s*[[{"\dtfn-]/.test(text)) return text
  try {
    const parsed: unknown = JSON.parse(text)
    // A long number would change when parsed, and deeply nested data could not be sent.
    if (typeof parsed === 'object') return isDeeperThan(text, MAX_DATA_DEPTH) ? text : parsed
    return JSON.stringify(parsed) === text.trim() ? parsed : text
  } catch {
    return text
  }
}

/** The depth is checked, because `JSON.parse` reads deeper values than `JSON.stringify` can write. */
function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof item === 'object' && isNestedDeeper(item, levels - 1)) return true
  }
  return false
}

interface FailedCall {
  readonly server: string
  readonly tool: string
  /** Replaces the advice to run `toolcrib doctor` if that would not help, or if no config has the server. */
  readonly remedy?: string | undefined
  /** The end of the server's output on stderr. */
  readonly stderr: string
}

export function toFailure(
  { server, tool, stderr, remedy }: FailedCall,
  outcome: Exclude<CallOutcome, { kind: 'answered' | 'asked' }>,
): ToolResult {
  const details = { server, tool }
  switch (outcome.kind) {
    case 'cancelled':
      return fail('CANCELLED', { name: tool }, { details })
    case 'login':
      return loginFailure(outcome.needed, tool)
    case 'late':
      return fail('TIMEOUT', { name: tool, afterMs: outcome.afterMs }, { details })
    case 'capability-missing': {
      const { capability } = outcome
      const requiredCapabilities = { [capability]: {} }
      return fail(
        'CLIENT_CAPABILITY_MISSING',
        { name: tool, capabilities: [capability] },
        { details: { ...details, requiredCapabilities } },
      )
    }
    case 'refused': {
      const { reason, rpcCode, isInvalidResult } = outcome
      if (isInvalidResult === true) return fail('INVALID_RESULT', { name: tool, reason, server }, { details })
      const more = rpcCode === undefined ? {} : { rpcCode }
      return fail('TOOL_EXECUTION_ERROR', { server, name: tool, reason }, { details: { ...details, ...more } })
    }
    case 'lost': {
      const { reason, taken } = outcome
      const more = stderr === '' ? {} : { stderr }
      if (!taken) return unavailable({ server, tool, remedy }, reason, 0)
      return fail('SERVER_LOST', { server, name: tool, reason }, { details: { ...details, ...more } })
    }
  }
}

/** Why a request has no answer. */
export function reasonOfOutcome(outcome: Exclude<CallOutcome, { kind: 'answered' }>): string {
  switch (outcome.kind) {
    case 'refused':
    case 'lost':
      return outcome.reason
    case 'login':
      return outcome.needed.message
    case 'late':
      return `it did not answer in ${outcome.afterMs} ms`
    case 'capability-missing':
      return `it needs a client that declares '${outcome.capability}'`
    case 'asked':
      return 'it asked for input'
    case 'cancelled':
      return 'the request was cancelled'
  }
}

export function loginFailure(needed: LoginRequired, tool: string): FailureResult {
  const { server, command, message: reason } = needed
  return fail('AUTH_REQUIRED', { server, reason, command }, { details: { server, tool, command } })
}

/** The same failure as that of a call which the catalog refuses. */
export function changedFailure(server: string, tool: string, { kind, parts }: ToolChange): FailureResult {
  const failure = fail('TOOL_CHANGED', { server, name: tool, kind, parts })
  return { ...failure, error: { ...failure.error, server, tool } }
}

export function unavailable(
  { server, tool, remedy }: Pick<FailedCall, 'server' | 'tool' | 'remedy'>,
  reason: string,
  /** Undefined if a retry does not help without the remedy. */
  retryAfterMs?: number,
): FailureResult {
  const when = retryAfterMs === undefined ? {} : { retryAfterMs }
  const data = { server, reason, ...when, ...(remedy === undefined ? {} : { remedy }) }
  return fail('SERVER_UNAVAILABLE', data, { details: { server, tool, ...when } })
}
