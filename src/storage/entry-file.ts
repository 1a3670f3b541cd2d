// How one entry of the file store is named and written: a JSON file that holds its own key.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isRecord } from '../core/schema.ts'
import { errorCode, type OnProblem, reasonOf } from './problem.ts'

export interface Entry {
  readonly key: string
  readonly value: unknown
  readonly expiresAt: number
}

const SUFFIX = '.json'
/** With the hash and the ending of a temporary file it stays below what encrypted home directories allow (143). */
const MAX_SHOWN = 48

/** The start of the key, for people and for `mayStartWith`, and its hash, which tells it from all others. */
export function entryName(key: string): string {
  // As UTF-16: in UTF-8 all lone surrogates are one.
  const hash = createHash('sha256').update(Buffer.from(key, 'utf16le')).digest('hex').slice(0, 32)
  return `${escapeKey(key).slice(0, MAX_SHOWN)}~${hash}${SUFFIX}`
}

export function isEntryName(name: string): boolean {
  return name.endsWith(SUFFIX) && name.includes('~')
}

/** Whether the file can be of a key with this prefix; only the key inside says for sure. */
export function mayStartWith(name: string, prefix: string): boolean {
  const shown = name.slice(0, name.lastIndexOf('~'))
  const escaped = escapeKey(prefix)
  return shown.length < MAX_SHOWN
    ? shown.startsWith(escaped)
    : escaped.slice(0, MAX_SHOWN) === shown.slice(0, escaped.length)
}

// One code unit at a time, so that the prefix of a key gives the prefix of its name. Capitals too: many file systems
// do not tell them apart.
function escapeKey(key: string): string {
  // More than is shown is never needed, and a key may be long.
  const start = key.slice(0, MAX_SHOWN)
  return start.replace(/[^a-z0-9-]/g, (unit) => `_${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function encodeEntry({ key, value, expiresAt }: Entry): string {
  return JSON.stringify({ key, expiresAt: Number.isFinite(expiresAt) ? expiresAt : null, value })
}

/** Undefined for a file that is absent or makes no sense. Every start of a file makes none: the last brace is missing. */
export async function readEntry(path: string, onProblem: OnProblem): Promise<Entry | undefined> {
  try {
    // Entries are small: a read through the thread pool takes ten times the processor time.
    const entry = decodeEntry(readFileSync(path, 'utf8'))
    if (entry !== undefined) return entry
    onProblem({ kind: 'corrupt', path, message: `${path} is damaged and is taken as absent` })
  } catch (cause) {
    const isAbsent = errorCode(cause) === 'ENOENT' || errorCode(cause) === 'ENOTDIR'
    if (!isAbsent) onProblem({ kind: 'unreadable', path, message: `Cannot read ${path}: ${reasonOf(cause)}`, cause })
  }
  return undefined
}

export function decodeEntry(text: string): Entry | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(parsed)) return undefined
  const { key, value, expiresAt } = parsed
  if (typeof key !== 'string' || (typeof expiresAt !== 'number' && expiresAt !== null)) return undefined
  return { key, value, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY }
}
