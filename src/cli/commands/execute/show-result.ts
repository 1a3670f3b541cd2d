// Formats the result of a call, for people and as a JSON document.

import { isRecord } from '../../../core/is-record.ts'
import { parseJson } from '../../../core/parse-json.ts'
import type { CommandResult } from '../../../core/result.ts'
import { count, oneLine, plain } from '../../output/text.ts'
import { binaryOf, saveBinary } from './save-content.ts'

interface ShownResult {
  /** Not indented. */
  readonly lines: readonly string[]
  readonly document: Readonly<Record<string, unknown>>
}

interface ShowOptions {
  /** The folder for binary content. Without it, only the type and size are shown. */
  readonly out?: string | undefined
  readonly cwd: string
  readonly tool: string
}

export async function showResult(result: CommandResult, options: ShowOptions): Promise<ShownResult> {
  const { data, wire } = result
  const blocks = wire?.content ?? []
  const lines: string[] = []
  /** The blocks for the document. A saved block has the path of its file instead of its data. */
  const content: unknown[] = []
  let isOnlyText = true
  for (const block of blocks) {
    const binary = binaryOf(block)
    if (binary !== undefined && options.out !== undefined) {
      const file = await saveBinary(binary, options.out, options.cwd, options.tool)
      const { mimeType, bytes } = binary
      lines.push(`Saved ${file} (${oneLine(mimeType)}, ${count(bytes.length, 'byte')})`)
      content.push({ type: block.type, mimeType, file, bytes: bytes.length })
    } else {
      content.push(block)
      lines.push(...(await blockLines(block, data)))
    }
    if (block.type !== 'text') isOnlyText = false
  }
  if (blocks.length === 0 && data !== undefined && data !== null) lines.push(...(await valueLines(data)))
  return {
    lines: lines.length === 0 ? ['(empty)'] : lines,
    document: { success: true, result: data ?? null, ...(isOnlyText ? {} : { content }) },
  }
}

async function blockLines(block: Readonly<Record<string, unknown>>, data: unknown): Promise<readonly string[]> {
  const binary = binaryOf(block)
  if (binary !== undefined) {
    const { mimeType, bytes } = binary
    return [`(${String(block.type)}, ${oneLine(mimeType)}, ${count(bytes.length, 'byte')}; use --out DIR to save it)`]
  }
  if (typeof block.text === 'string') return textLines(block.text, data)
  if (block.type === 'resource_link') return [`Link: ${oneLine(String(block.uri))}`]
  const { resource } = block
  if (isRecord(resource) && typeof resource.text === 'string') {
    return [`${oneLine(String(resource.uri))}:`, ...plain(resource.text).trimEnd().split('\n')]
  }
  return valueLines(block)
}

/**
 * Text that is the JSON of `data` is shown as YAML, which is easier to read. The text of a tool that does not come from
 * an MCP server has the data inside `{"success": true, "result": …}`.
 */
async function textLines(text: string, data: unknown): Promise<readonly string[]> {
  const isJson = typeof data === 'object' && data !== null && /^\s*[[{]/.test(text)
  const isData = isJson && (isSame(text, data) || isSame(text, { success: true, result: data }))
  return isData ? valueLines(data) : plain(text).trimEnd().split('\n')
}

function isSame(text: string, data: unknown): boolean {
  return JSON.stringify(parseJson(text)) === JSON.stringify(data)
}

async function valueLines(value: unknown): Promise<readonly string[]> {
  const { stringify } = await import('yaml')
  return plain(stringify(value, { lineWidth: 0 }))
    .trimEnd()
    .split('\n')
}
