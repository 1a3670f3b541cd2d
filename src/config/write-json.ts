// Changes single values in a text of JSON with comments, and leaves the rest of the text as it is.

import { isDeepStrictEqual } from 'node:util'
import type { Edit, ParseError } from 'jsonc-parser'
import { isRecord } from '../core/schema.ts'

export interface Change {
  readonly path: readonly string[]
  /** Undefined takes it away. */
  readonly value: unknown
  /** Before those that are there, which keeps their lines as they are. */
  readonly isFirst?: boolean
}

/** Undefined where the text could not be changed safely. */
export async function changeJson(text: string, changes: readonly Change[]): Promise<string | undefined> {
  const { applyEdits, modify, parse } = await import('jsonc-parser')
  const options = { allowTrailingComma: true }
  const body = text.replace(/^\uFEFF/, '')
  const start = body.trim() === '' ? '{}\n' : body
  const formattingOptions = { insertSpaces: !/^\t/m.test(start), tabSize: indentOf(start), eol: eolOf(start) }
  let changed = start
  let expected: unknown = parse(start, [], options)
  for (const { path, value, isFirst = false } of changes) {
    // What is taken away needs no formatting, and its neighbours keep theirs.
    const bare = modify(changed, [...path], value, isFirst ? { getInsertionIndex: () => 0 } : {})
    const edits =
      value === undefined
        ? bare
        : (atStart(changed, bare, path, value, isFirst) ?? modify(changed, [...path], value, { formattingOptions }))
    changed = applyEdits(changed, edits)
    expected = withValue(expected, path, value)
  }
  const errors: ParseError[] = []
  const result: unknown = parse(changed, errors, options)
  return errors.length === 0 && isDeepStrictEqual(result, expected) ? changed : undefined
}

/** On lines of its own before what is there; undefined where that is not how the text is laid out. */
function atStart(text: string, edits: readonly Edit[], path: readonly string[], value: unknown, isFirst: boolean) {
  const [edit, ...others] = edits
  const isPlain = edit !== undefined && others.length === 0 && edit.length === 0 && edit.content.endsWith(',')
  if (!isFirst || !isPlain || !/^\r?\n/.test(text.slice(edit.offset, edit.offset + 2))) return undefined
  const eol = eolOf(text)
  const unit = /^\t/m.test(text) ? '\t' : ' '.repeat(indentOf(text))
  const lines = JSON.stringify(value, null, unit)
    .split('\n')
    .join(`${eol}${unit.repeat(path.length)}`)
  const content = `${eol}${unit.repeat(path.length)}${JSON.stringify(path.at(-1))}: ${lines},`
  return [{ offset: edit.offset, length: 0, content }]
}

function withValue(document: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const record = isRecord(document) ? document : {}
  if (rest.length > 0 && value === undefined && !Object.hasOwn(record, key)) return document
  const { [key]: before, ...others } = record
  const inner = withValue(before, rest, value)
  if (inner === undefined) return others
  // In its old place: the order of keys is part of what people wrote.
  return Object.hasOwn(record, key)
    ? Object.fromEntries(Object.entries(record).map(([one, kept]) => [one, one === key ? inner : kept]))
    : { ...record, [key]: inner }
}

function indentOf(text: string): number {
  return /^( +)\S/m.exec(text)?.[1]?.length ?? 2
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}
