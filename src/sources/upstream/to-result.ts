// What an upstream tool answered, as a result of ours with the answer itself kept unchanged.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { isDeeperThan } from '../../core/encode-result.ts'
import { fail } from '../../core/errors.ts'
import { RESULT_META, success } from '../../core/result.ts'
import { isRecord } from '../../core/schema.ts'
import { cutLongText } from '../../core/text.ts'
import type { ToolResult } from '../../core/tool.ts'

const MAX_REASON_CHARS = 2_000
/** Less than a result may nest as a whole, with what is put around data on its way. */
const MAX_DATA_DEPTH = 900

/** `declined`: what the server asked during the call and was declined by us. The last block lists it. */
export function toResult(server: string, tool: string, answer: unknown, declined: readonly string[] = []): ToolResult {
  const failed = (reason: string, wire?: CallToolResult) =>
    fail(
      'TOOL_EXECUTION_ERROR',
      { server, name: tool, reason: cutLongText(reason, MAX_REASON_CHARS) },
      { details: { server, tool }, ...(wire === undefined ? {} : { wire }) },
    )
  if (!isRecord(answer)) return failed('It answered with something that is no tool result')
  const { content = [], structuredContent, isError, resultType = 'complete' } = answer
  // What needs input, or is of a later protocol, has not come to a result: an empty one would say that it had.
  if (resultType !== 'complete' && answer.content === undefined) {
    const reason = `the server answered with a result of the type '${String(resultType)}', which its protocol does not have`
    return fail('INVALID_RESULT', { name: tool, reason, server }, { details: { server, tool } })
  }
  if (!Array.isArray(content) || !content.every(isBlock))
    return failed('Its answer has content that is no list of blocks')
  // Checked above as far as a front door relies on it; what is inside the blocks is the client's to judge.
  const wire = { ...withoutOurMeta(answer), content: [...content, ...declined.map(noticeOf)] } as CallToolResult
  const text = textOf(content)
  if (isError === true)
    return failed(ownWords(structuredContent) || text.trim() || 'It failed and did not say why', wire)
  const others = content.filter((block) => block.type !== 'text')
  return success(structuredContent === undefined ? dataOf(text, content) : structuredContent, {
    ...(others.length === 0 ? {} : { content: others }),
    wire,
  })
}

function noticeOf(reason: string): ContentBlock {
  return { type: 'text', text: `[toolcrib] Note: ${reason}.` }
}

/** A handle of theirs would be taken for one of ours. */
function withoutOurMeta(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { _meta } = answer
  if (!isRecord(_meta) || !Object.hasOwn(_meta, RESULT_META)) return answer
  const { [RESULT_META]: _theirs, ...rest } = _meta
  return { ...answer, _meta: rest }
}

/** What servers of this framework say went wrong, without the JSON around it. */
function ownWords(structuredContent: unknown): string | undefined {
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

/** JSON where one block holds it, else the text; null where there is none. */
function dataOf(text: string, content: readonly ContentBlock[]): unknown {
  const texts = content.filter((block) => block.type === 'text')
  if (texts.length === 0) return null
  // Text that cannot be JSON is not parsed: the error would cost more than the rest of the call.
  if (texts.length > 1 || !/^\s*[[{"\dtfn-]/.test(text)) return text
  try {
    const parsed: unknown = JSON.parse(text)
    // A long number would come out as another one, and what nests too deep could not be sent as data.
    if (typeof parsed === 'object') return isDeeperThan(text, MAX_DATA_DEPTH) ? text : parsed
    return JSON.stringify(parsed) === text.trim() ? parsed : text
  } catch {
    return text
  }
}
