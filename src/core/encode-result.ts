// Encodes a result as JSON and MCP content blocks. A result that cannot be sent becomes a failure with the reason.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { type EncodedResult, encoded, knownJson, type ProxiedAnswer, proxied } from './attached-json.ts'
import { fail } from './errors.ts'
import { isRecord } from './is-record.ts'
import type { CommandResult, FailureResult } from './result.ts'
import { messageOf } from './text.ts'
import { isToolResult } from './tool-result.ts'

/** Data rarely nests this deep, and the outgoing message can still be encoded without a stack overflow. */
const MAX_DEPTH = 1_000

/**
 * A message contains the body twice, once as a JSON string, in which escapes make it longer. The message must stay
 * below 512 MiB, the limit of a JavaScript string.
 */
export const MAX_RESULT_BYTES = 64 * 1024 * 1024

/**
 * Returns the result itself if it can be sent, else a failure. `isJson`: the answer of an upstream was parsed from
 * JSON, so there is no need to test whether it can be encoded.
 */
export function soundResult(name: string, result: CommandResult, isJson = false): CommandResult {
  if (isJson && result.wire !== undefined) {
    const problem = wireProblem(result.wire)
    return problem === undefined ? result : failOfServer(name, problem)
  }
  // Middleware may have changed the answer in place.
  if (isRecord(result.wire)) {
    knownJson.remove(result.wire)
    proxied.remove(result)
  }
  const answer = proxiedAnswer(name, result)
  if (answer !== undefined) return answer.ok ? result : answer.refused
  // The cache is not read here: a handler may return the same object again with other content.
  const written = encode(name, result)
  // Only results of calls are cached: an entry costs as much as encoding a small result, and others are encoded once.
  encoded.set(result, written)
  return written.isSound ? result : written.body
}

/**
 * The body and the blocks as they were encoded. They are a copy if `written` comes from the cache, because the
 * handler's own objects may have changed since then.
 */
export function inertCopy(result: CommandResult, written: EncodedResult): Pick<EncodedResult, 'body' | 'content'> {
  if (encoded.get(result) === undefined) return written
  const { json, contentJson } = written
  // This JSON was written by this module, from a body and blocks that were checked.
  const body = JSON.parse(json) as CommandResult
  return { body, content: contentJson === '' ? [] : (JSON.parse(contentJson) as readonly ContentBlock[]) }
}

export function encodeResult(name: string, result: CommandResult): EncodedResult {
  return encoded.get(result) ?? encode(name, result)
}

/** Returns undefined for a result of a local command. */
export function proxiedAnswer(name: string, result: CommandResult): ProxiedAnswer | undefined {
  if (result.wire === undefined) return undefined
  const known = proxied.get(result)
  if (known !== undefined) return known
  const checked = checkWire(name, result.wire)
  proxied.set(result, checked)
  return checked
}

/** The JSON of an upstream's answer. Undefined for a result of a local command, or if the answer cannot be sent. */
export function wireJson(result: CommandResult): string | undefined {
  if (result.wire === undefined) return undefined
  const known = proxied.get(result)
  if (known !== undefined) return known.ok ? known.json : undefined
  const checked = checkWire('result', result.wire)
  // A refused answer is not cached, because the error made here does not name the tool.
  if (!checked.ok) return undefined
  proxied.set(result, checked)
  return checked.json
}

/** Copies the answer with this structured content. Attaches the JSON of the copy if it can be made from known JSON. */
export function withStructured(wire: CallToolResult, body: { success: true; result: unknown }): CallToolResult {
  const copy = { ...wire, structuredContent: body }
  const known = wire.structuredContent === undefined ? knownJson.get(wire) : undefined
  if (known === undefined) return copy
  const [block] = wire.content
  const isText = block?.type === 'text' && block.text === body.result
  const json = isText ? `{"success":true,"result":${known.textJson}}` : JSON.stringify(body)
  const { json: before, textJson } = known
  knownJson.set(copy, { json: `${before.slice(0, -1)},"structuredContent":${json}}`, textJson })
  return copy
}

function encode(name: string, result: CommandResult): EncodedResult {
  const { content = [], wire: _wire, ...body } = withoutErrorObjects(result)
  const text = writeObject(body)
  const blocks = text.ok ? writeContent(content) : text
  const bytes = text.ok && blocks.ok ? text.bytes + blocks.bytes : 0
  const reason = !text.ok ? text.reason : !blocks.ok ? blocks.reason : sizeProblem(bytes)
  if (text.ok && reason === undefined)
    return { isSound: true, body, content, json: text.json, contentJson: blocks.ok ? blocks.json : '', bytes }
  const refused = fail('INVALID_RESULT', { name, reason: reason ?? '' })
  const json = JSON.stringify(refused)
  return { isSound: false, body: refused, content: [], json, contentJson: '', bytes: Buffer.byteLength(json) }
}

// The source has checked its answer, but middleware may have changed it afterwards.
function checkWire(name: string, wire: CallToolResult): ProxiedAnswer {
  const known = isRecord(wire) ? knownJson.get(wire) : undefined
  // An answer with known JSON has one text block, and its length was limited when it was read.
  if (known !== undefined) return { ok: true, wire, json: known.json }
  const text: Written = isRecord(wire) ? writeObject(wire) : { ok: false, reason: NO_RESULT }
  const problem = text.ok ? wireProblem(wire) : text.reason
  if (text.ok && problem === undefined) return { ok: true, wire, json: text.json }
  return { ok: false, refused: failOfServer(name, problem ?? NO_RESULT) }
}

function failOfServer(name: string, reason: string): FailureResult {
  return fail('INVALID_RESULT', { name, reason, todo: 'The server of the tool is at fault, not the arguments' })
}

const NO_RESULT = 'it is not a valid MCP tool result'

function wireProblem(wire: CallToolResult): string | undefined {
  if (!isPlainText(wire) && !isToolResult(wire)) return NO_RESULT
  // Another kind of result, such as `inputRequired`, would start an exchange that the gateway does not handle here.
  const isComplete = wire.resultType === undefined || wire.resultType === 'complete'
  return isComplete ? undefined : 'it is not complete'
}

/** Most results are plain text. This check is faster than the schema. */
function isPlainText({ content, structuredContent, isError, _meta }: CallToolResult): boolean {
  if (!Array.isArray(content) || !isPlainMeta(_meta)) return false
  if (structuredContent !== undefined && !isRecord(structuredContent)) return false
  return (isError === undefined || typeof isError === 'boolean') && content.every(isPlainBlock)
}

/** Modern servers send their name and version under this key. */
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo'

/** True if `_meta` contains at most the name and version that modern servers add. */
function isPlainMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isRecord(meta)) return false
  for (const key in meta) if (key !== SERVER_INFO_KEY || !isIdentity(meta[key])) return false
  return true
}

function isIdentity(value: unknown): boolean {
  if (!isRecord(value) || typeof value.name !== 'string' || typeof value.version !== 'string') return false
  for (const key in value) if (key !== 'name' && key !== 'version') return false
  return true
}

function isPlainBlock(block: unknown): boolean {
  if (!isRecord(block) || block.type !== 'text' || typeof block.text !== 'string') return false
  for (const key in block) if (key !== 'type' && key !== 'text') return false
  return true
}

/** JSON would turn an Error in `cause` into an empty object. Only its message is sent; the stack stays private. */
function withoutErrorObjects(result: CommandResult): CommandResult {
  if (result.error === undefined || !(result.error.cause instanceof Error)) return result
  return { ...result, error: { ...result.error, cause: result.error.cause.message } }
}

type Written =
  | { readonly ok: true; readonly json: string; readonly bytes: number }
  | { readonly ok: false; readonly reason: string }

function writeObject(value: object): Written {
  // The JSON of a value with `toJSON` could be anything, and could contradict the `success` of the result.
  const isReplaced = 'toJSON' in value && typeof value.toJSON === 'function'
  return isReplaced ? { ok: false, reason: 'it has a toJSON of its own' } : write(value)
}

// The blocks are checked here, because the SDK would refuse an invalid one with an error that the model never sees.
function writeContent(content: unknown): Written {
  if (!Array.isArray(content)) return { ok: false, reason: 'its content is not a list of MCP blocks' }
  if (content.length === 0) return { ok: true, json: '', bytes: 0 }
  const text = write(content)
  if (!text.ok || isToolResult({ content })) return text
  return { ok: false, reason: 'one of its content blocks is not a valid MCP block' }
}

function write(value: unknown): Written {
  try {
    // `JSON.stringify` returns undefined for values such as functions.
    const json: string | undefined = JSON.stringify(value)
    if (json === undefined) return { ok: false, reason: 'it is not JSON' }
    const bytes = Buffer.byteLength(json)
    const problem = sizeProblem(bytes)
    if (problem !== undefined) return { ok: false, reason: problem }
    if (!isDeeperThan(json, MAX_DEPTH)) return { ok: true, json, bytes }
    return { ok: false, reason: `it nests deeper than ${MAX_DEPTH} levels` }
  } catch (error) {
    // The value has a cycle or a bigint. A RangeError means a text longer than the engine allows, or nesting deeper than
    // the stack.
    const limits = `; at most ${MAX_RESULT_BYTES} bytes and ${MAX_DEPTH} levels are sent`
    const reason = `it is not JSON (${messageOf(error).split('\n', 1)[0]})`
    return { ok: false, reason: `${reason}${error instanceof RangeError ? limits : ''}` }
  }
}

function sizeProblem(bytes: number): string | undefined {
  return bytes > MAX_RESULT_BYTES ? `it is ${bytes} bytes long; at most ${MAX_RESULT_BYTES} are sent` : undefined
}

/** Expects valid JSON. */
export function isDeeperThan(json: string, depth: number): boolean {
  // Each bracket needs its partner, so shorter text cannot be that deep. Most text is shorter.
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
