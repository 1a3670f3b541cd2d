// Formats the result of a call, for people and as a JSON document.

import { isRecord } from '../../../core/is-record.ts'
import type { CommandResult } from '../../../core/result.ts'
import { oneLine, plain } from '../../output/text.ts'
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
  const saved: unknown[] = []
  let hasOthers = false
  for (const block of blocks) {
    const binary = binaryOf(block)
    if (binary !== undefined && options.out !== undefined) {
      const file = await saveBinary(binary, options.out, options.cwd, options.tool)
      const { mimeType, bytes } = binary
      lines.push(`Saved ${file} (${oneLine(mimeType)}, ${bytes.length} bytes)`)
      saved.push({ type: block.type, mimeType, file, bytes: bytes.length })
    } else {
      saved.push(block)
    }
    if (block.type !== 'text') hasOthers = true
    if (binary === undefined || options.out === undefined) lines.push(...(await blockLines(block, data)))
  }
  if (blocks.length === 0 && data !== undefined && data !== null) lines.push(...(await valueLines(data)))
  return {
    lines: lines.length === 0 ? ['(empty)'] : lines,
    document: { success: true, result: data ?? null, ...(hasOthers ? { content: saved } : {}) },
  }
}

async function blockLines(block: Readonly<Record<string, unknown>>, data: unknown): Promise<readonly string[]> {
  const binary = binaryOf(block)
  if (binary !== undefined) {
    const { mimeType, bytes } = binary
    return [`(${String(block.type)}, ${oneLine(mimeType)}, ${bytes.length} bytes; use --out DIR to save it)`]
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
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(data)
  } catch {
    return false
  }
}

async function valueLines(value: unknown): Promise<readonly string[]> {
  const { stringify } = await import('yaml')
  return plain(stringify(value, { lineWidth: 0 }))
    .trimEnd()
    .split('\n')
}
