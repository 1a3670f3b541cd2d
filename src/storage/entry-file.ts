// Names, encodes and decodes one entry of the file store. An entry is a JSON file that contains its own key.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/json.ts'
import { isAbsent } from '../core/text.ts'
import { type OnProblem, unreadable } from './problem.ts'

export interface Entry {
  readonly key: string
  readonly value: unknown
  readonly expiresAt: number
}

const SUFFIX = '.json'
/** With the hash and the suffix of a temporary file, a name has fewer than 143 characters, the limit of eCryptfs. */
const MAX_SHOWN_CHARS = 48

/** The file name of a key: its escaped start, for people and for `mayStartWith`, then a hash that makes it unique. */
export function entryName(key: string): string {
  // UTF-16 keeps different lone surrogates different. UTF-8 would replace all of them with the same bytes.
  const hash = createHash('sha256').update(Buffer.from(key, 'utf16le')).digest('hex').slice(0, 32)
  return `${escapeKey(key).slice(0, MAX_SHOWN_CHARS)}~${hash}${SUFFIX}`
}

export function isEntryName(name: string): boolean {
  return name.endsWith(SUFFIX) && name.includes('~')
}

/** Whether the file may belong to a key with this prefix. Only the key inside the file can confirm it. */
export function mayStartWith(name: string, prefix: string): boolean {
  const shown = name.slice(0, name.lastIndexOf('~'))
  const escaped = escapeKey(prefix)
  return shown.length < MAX_SHOWN_CHARS
    ? shown.startsWith(escaped)
    : escaped.slice(0, MAX_SHOWN_CHARS) === shown.slice(0, escaped.length)
}

// Escapes code unit by code unit, so that the escaped prefix of a key is a prefix of the escaped key. Uppercase letters
// are escaped too, because many file systems ignore case.
function escapeKey(key: string): string {
  // Keys can be long. The name shows at most this many characters.
  const start = key.slice(0, MAX_SHOWN_CHARS)
  return start.replace(/[^a-z0-9-]/g, (unit) => `_${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function encodeEntry({ key, value, expiresAt }: Entry): string {
  return JSON.stringify({ key, expiresAt: Number.isFinite(expiresAt) ? expiresAt : null, value })
}

/**
 * Reads an entry. Undefined if the file is absent, or if it is damaged or cannot be read and `onProblem` does not
 * throw. A truncated file lacks its last brace, so it is damaged. Reads synchronously: entries are small, and a read
 * through the thread pool costs ten times the processor time.
 */
export function readEntry(path: string, onProblem: OnProblem = () => {}): Entry | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    if (!isAbsent(cause)) onProblem(unreadable(path, cause))
    return undefined
  }
  const entry = decodeEntry(text)
  if (entry === undefined) {
    onProblem({ kind: 'corrupt', path, message: `${path} is damaged and is treated as missing` })
  }
  return entry
}

export function decodeEntry(text: string): Entry | undefined {
  const parsed = parseJson(text)
  if (!isRecord(parsed)) return undefined
  const { key, value, expiresAt } = parsed
  if (typeof key !== 'string' || (typeof expiresAt !== 'number' && expiresAt !== null)) return undefined
  return { key, value, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY }
}

/** The value, or undefined if there is no such entry, or if it has expired or is damaged. */
export async function entryValue(path: string, now = Date.now()): Promise<unknown> {
  // A damaged file is not reported here; `get` of the store reports it.
  const entry = readEntry(path)
  return entry !== undefined && entry.expiresAt > now ? entry.value : undefined
}
