// Reads the messages of a server. If an answer has the form that was seen last, only its id and text are parsed.

import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { knownJson } from '../../core/attached-json.ts'
import { SERVER_INFO_KEY } from '../../core/encode-result.ts'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'

/** Returns undefined for a line that is not a JSON-RPC message. */
type AnswerReader = (line: string) => JSONRPCMessage | undefined

/** The form of answers that differ only in their id and their text. The strings are substrings of the line. */
interface Pattern {
  /** From the start of the line to the id. Undefined if the id is the last value of the line. */
  readonly beforeId: string | undefined
  /** From the id, or from the start of the line, to the text. */
  readonly beforeText: string
  /** From the text to the id, or to the end of the line. */
  readonly afterText: string
  /** The JSON of the result before and after its text. */
  readonly head: string
  readonly tail: string
  readonly fields: PlainFields
}

/** The fields of a result with one text block, except its content. */
interface PlainFields {
  readonly hasType: boolean
  readonly hasIsError: boolean
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined
}

/** How many answers are examined for a pattern. If the answers of a server have many forms, a pattern does not help. */
const MAX_EXAMINED = 20
/** Replaces the text of an answer to find what is before and after it. */
const PROBE = 'toolcrib-probe'
const PROBE_JSON = JSON.stringify(PROBE)
const ID_FIRST = '{"jsonrpc":"2.0","id":'
const RESULT = '"result":'
const ID_LAST = ',"jsonrpc":"2.0","id":'

export function createAnswerReader(): AnswerReader {
  let pattern: Pattern | undefined
  let examined = 0
  return (line) => {
    const known = pattern === undefined ? undefined : readWith(pattern, line)
    if (known !== undefined) return known
    const message = parseMessage(line)
    if (message !== undefined && 'result' in message && examined < MAX_EXAMINED) {
      examined++
      pattern = patternOf(line, message) ?? pattern
    }
    return message
  }
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  const message = parseJson(line)
  if (!isRecord(message) || message.jsonrpc !== '2.0') return undefined
  // The SDK's client checks the kind of the message and reports invalid messages.
  return message as unknown as JSONRPCMessage
}

function readWith(pattern: Pattern, line: string): JSONRPCMessage | undefined {
  const { beforeId, beforeText, afterText, head, tail } = pattern
  const isIdFirst = beforeId !== undefined
  if (isIdFirst && !line.startsWith(beforeId)) return undefined
  const idStart = isIdFirst ? beforeId.length : line.lastIndexOf(':') + 1
  const idEnd = isIdFirst ? line.indexOf(',', idStart) : line.length - 1
  const id = readId(line.slice(idStart, idEnd))
  const textStart = (isIdFirst ? idEnd : 0) + beforeText.length
  const textEnd = (isIdFirst ? line.length : idStart) - afterText.length
  if (id === undefined || textEnd <= textStart) return undefined
  if (!line.startsWith(beforeText, textStart - beforeText.length) || !line.startsWith(afterText, textEnd))
    return undefined
  if (!isIdFirst && !line.endsWith('}')) return undefined
  const textJson = line.slice(textStart, textEnd)
  const text = readText(textJson)
  if (text === undefined) return undefined
  const result = resultOf(text, pattern.fields)
  knownJson.set(result, { json: head + textJson + tail, textJson })
  return { jsonrpc: '2.0', id, result }
}

/** Makes new objects for each answer, because the code that gets an answer may change it. */
function resultOf(text: string, { hasType, hasIsError, serverInfo }: PlainFields): Record<string, unknown> {
  const result: Record<string, unknown> = { content: [{ type: 'text', text }] }
  if (hasType) result.resultType = 'complete'
  if (hasIsError) result.isError = false
  if (serverInfo !== undefined)
    result._meta = { [SERVER_INFO_KEY]: { name: serverInfo.name, version: serverInfo.version } }
  return result
}

function readId(digits: string): number | undefined {
  const id = Number(digits)
  return Number.isSafeInteger(id) && String(id) === digits ? id : undefined
}

/** Undefined unless the JSON is exactly one string. */
function readText(json: string): string | undefined {
  const text = json.charCodeAt(0) === QUOTE ? parseJson(json) : undefined
  return typeof text === 'string' ? text : undefined
}

const QUOTE = 0x22

/**
 * The pattern of an answer, or undefined if the answer is not one text block with the fields of `PlainFields`. Except
 * for the escapes in the text, the line must be exactly the JSON that we would write for the answer. So it has no
 * repeated keys and nothing else that two readers could read differently.
 */
function patternOf(line: string, message: JSONRPCMessage): Pattern | undefined {
  if (!('result' in message) || Object.keys(message).length !== 3 || typeof message.id !== 'number') return undefined
  const { id, result } = message
  const fields = isRecord(result) ? plainFields(result) : undefined
  if (fields === undefined || !isRecord(result) || !Array.isArray(result.content)) return undefined
  const [block]: readonly unknown[] = result.content
  if (result.content.length !== 1 || !isRecord(block) || typeof block.text !== 'string') return undefined
  if (block.type !== 'text' || Object.keys(block).length !== 2) return undefined
  const probed = { ...message, result: { ...result, content: [{ ...block, text: PROBE }] } }
  const [before, after, ...more] = JSON.stringify(probed).split(PROBE_JSON)
  if (before === undefined || after === undefined || more.length > 0) return undefined
  if (!line.startsWith(before) || !line.endsWith(after) || line.length <= before.length + after.length) return undefined
  if (readText(line.slice(before.length, line.length - after.length)) !== block.text) return undefined
  return splitAtId(before, after, id, fields)
}

function splitAtId(before: string, after: string, id: number, fields: PlainFields): Pattern | undefined {
  const first = `${ID_FIRST}${id},${RESULT}`
  if (before.startsWith(first)) {
    const head = before.slice(first.length)
    const [beforeText, tail] = [`,${RESULT}${head}`, after.slice(0, -1)]
    return { beforeId: ID_FIRST, beforeText, afterText: after, head, tail, fields }
  }
  const last = `${ID_LAST}${id}}`
  if (!before.startsWith(`{${RESULT}`) || !after.endsWith(last)) return undefined
  const tail = after.slice(0, -last.length)
  const head = before.slice(RESULT.length + 1)
  return { beforeId: undefined, beforeText: before, afterText: `${tail}${ID_LAST}`, head, tail, fields }
}

/** Undefined if the result has further fields, or a value that `resultOf` would not write. */
function plainFields(result: Readonly<Record<string, unknown>>): PlainFields | undefined {
  const { content: _content, resultType, isError, _meta, ...others } = result
  if (Object.keys(others).length > 0) return undefined
  if ((resultType !== undefined && resultType !== 'complete') || (isError !== undefined && isError !== false)) return
  const serverInfo = _meta === undefined ? undefined : serverInfoIn(_meta)
  if (_meta !== undefined && serverInfo === undefined) return undefined
  return { hasType: resultType !== undefined, hasIsError: isError !== undefined, serverInfo }
}

/** Modern servers add their name and version to each answer. */
function serverInfoIn(meta: unknown): PlainFields['serverInfo'] {
  if (!isRecord(meta) || Object.keys(meta).length !== 1) return undefined
  const info = meta[SERVER_INFO_KEY]
  if (!isRecord(info) || Object.keys(info).length !== 2) return undefined
  const { name, version } = info
  return typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined
}
