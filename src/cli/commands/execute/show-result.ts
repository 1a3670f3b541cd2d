// Formats the result of a call, for people and as a JSON document, and saves its binary content in a folder.

import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isRecord } from '../../../core/is-record.ts'
import { parseJson } from '../../../core/json.ts'
import type { CommandResult } from '../../../core/result.ts'
import { errorCode } from '../../../core/text.ts'
import { makeFolder } from '../../../storage/make-folder.ts'
import { reasonOf } from '../../../storage/problem.ts'
import { count, oneLine, plain } from '../../output/text.ts'

interface ShowOptions {
  /** The folder for binary content. Without it, only the type and size are shown. */
  readonly out?: string | undefined
  readonly cwd: string
  readonly tool: string
}

/** Returns the unindented lines for people, the JSON document, and the reason if content could not be saved. */
export async function showResult(result: CommandResult, options: ShowOptions) {
  const { data, wire } = result
  const blocks = wire?.content ?? []
  const lines: string[] = []
  /** The blocks for the document. A saved block has the path of its file instead of its data. */
  const content: unknown[] = []
  /** The reason why the first unsaved block could not be saved. */
  let unsaved: string | undefined
  let isOnlyText = true
  for (const block of blocks) {
    const binary = binaryOf(block)
    const saved = binary && options.out ? await saveBinary(binary, options.out, options) : undefined
    if (binary !== undefined && saved?.ok === true) {
      const { mimeType, bytes } = binary
      lines.push(`Saved ${saved.file} (${oneLine(mimeType)}, ${count(bytes.length, 'byte')})`)
      content.push({ type: block.type, mimeType, file: saved.file, bytes: bytes.length })
    } else {
      if (saved?.ok === false) unsaved ??= saved.reason
      content.push(block)
      lines.push(...(await blockLines(block, data)))
    }
    if (block.type !== 'text') isOnlyText = false
  }
  if (blocks.length === 0 && data !== undefined && data !== null) lines.push(...(await valueLines(data)))
  return {
    lines: lines.length === 0 ? ['(empty)'] : lines,
    document: { success: true, result: data ?? null, ...(isOnlyText ? {} : { content }) },
    unsaved,
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

interface Binary {
  readonly mimeType: string
  readonly bytes: Buffer
  /** The file name in its URI. */
  readonly name?: string
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
}
const MAX_TRIES = 1_000

/** Undefined for blocks without binary data. */
function binaryOf(block: unknown): Binary | undefined {
  if (!isRecord(block)) return undefined
  const { resource } = block
  const content = isRecord(resource) ? resource : block
  const encoded = content.blob ?? content.data
  if (typeof encoded !== 'string') return undefined
  const mimeType = typeof content.mimeType === 'string' ? content.mimeType : 'application/octet-stream'
  const name = typeof content.uri === 'string' ? nameIn(content.uri) : undefined
  return { mimeType, bytes: Buffer.from(encoded, 'base64'), ...(name === undefined ? {} : { name }) }
}

type Saved = { readonly ok: true; readonly file: string } | { readonly ok: false; readonly reason: string }

/** Adds a number to the name, so that no existing file is overwritten. */
async function saveBinary(binary: Binary, folder: string, { cwd, tool }: ShowOptions): Promise<Saved> {
  const { mimeType, bytes, name } = binary
  const type = mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const typeExtension = (Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type] : undefined) ?? 'bin'
  const stem = (name ?? tool).replace(/\.[A-Za-z0-9]{1,8}$/, '')
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(name ?? '')?.[1] ?? typeExtension
  try {
    await makeFolder(resolve(cwd, folder), 0o777)
    for (let at = 1; at <= MAX_TRIES; at++) {
      const file = join(folder, `${safeName(stem)}-${at}.${extension}`)
      try {
        await writeFile(resolve(cwd, file), bytes, { flag: 'wx' })
        return { ok: true, file }
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error
      }
    }
  } catch (error) {
    return { ok: false, reason: reasonOf(error) }
  }
  return { ok: false, reason: `it already contains ${MAX_TRIES} files with this name` }
}

function nameIn(uri: string): string | undefined {
  return uri.split(/[?#]/, 1)[0]?.split('/').at(-1) || undefined
}

/** A server chooses the file name but must not choose the folder. */
function safeName(name: string): string {
  return (
    name
      .replace(/[^\w.-]+/g, '_')
      .replace(/^\.+/, '')
      .slice(0, 80) || 'content'
  )
}
