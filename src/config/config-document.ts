// Parses a config file of Toolcrib. A JSON file in which an object has the same key twice is not valid.

import { isRecord } from '../core/is-record.ts'
import { type Document, type Format, parseDocument } from './document.ts'
import { problemAt } from './problem.ts'

/**
 * JSON parsers keep only the last of two equal keys, so a rule that disables tools could disappear without a message.
 * The parsers of YAML and TOML refuse equal keys themselves.
 */
export async function parseConfigDocument(text: string, format: Format, file: string): Promise<Document> {
  const document = await parseDocument(text, format, file)
  if (format !== 'json' || !document.ok || colons(text) === keys(document.value)) return document
  const path = await findEqualKey(text)
  if (path === undefined) return document
  const key = String(path.at(-1))
  const message = `The key ${JSON.stringify(key)} is there twice, and only the last one would be used. Join the two, or remove one`
  return {
    ok: false,
    problem: problemAt({ file, path }, { expected: 'each key once', found: 'two equal keys', message }),
  }
}

/** Counts the colons outside strings. In JSON without comments this is the number of keys as they are written. */
function colons(text: string): number {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1
}

/** Counts the keys of all objects in the value. Without recursion, because a value may be nested very deeply. */
function keys(value: unknown): number {
  let count = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (isRecord(next)) count += Object.keys(next).length
    if (isRecord(next) || Array.isArray(next)) for (const item of Object.values(next)) open.push(item)
  }
  return count
}

/** Finds the path of the first key that its object already has. */
async function findEqualKey(text: string): Promise<readonly PropertyKey[] | undefined> {
  const { visit } = await import('jsonc-parser')
  const open: Set<string>[] = []
  let found: readonly PropertyKey[] | undefined
  visit(text.replace(/^\uFEFF/, ''), {
    onObjectBegin() {
      open.push(new Set())
    },
    onObjectProperty(key, _offset, _length, _line, _character, path) {
      const known = open.at(-1)
      if (known?.has(key)) found ??= [...path(), key]
      known?.add(key)
    },
    onObjectEnd() {
      open.pop()
    },
  })
  return found
}
