// Removes tables from a TOML text, adds tables, and changes keys of one table. The rest of the text stays as it is.

import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'

interface TomlChange {
  /** The table that contains the tables to remove and to add, such as `mcp_servers`. */
  readonly section: string
  readonly remove: readonly string[]
  /** The text of whole tables, by name. */
  readonly add: Readonly<Record<string, string>>
}

/** Applies the change, and parses the result to check it. Undefined if the text cannot be changed safely. */
export async function changeToml(text: string, { section, remove, add }: TomlChange): Promise<string | undefined> {
  const { parse } = await import('smol-toml')
  const byteOrderMark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(byteOrderMark.length)
  try {
    const before = parse(body)
    const removed = [...remove, ...Object.keys(add)]
    const changed = replaceTables(body, section, removed, Object.values(add))
    const after = parse(changed)
    const expected = Object.entries(tableAt(before, [section])).filter(([name]) => !removed.includes(name))
    const found = Object.entries(tableAt(after, [section])).filter(([name]) => !Object.hasOwn(add, name))
    const isRestSame = isDeepStrictEqual({ ...before, [section]: {} }, { ...after, [section]: {} })
    return isRestSame && isDeepStrictEqual(found, expected) ? `${byteOrderMark}${changed}` : undefined
  } catch {
    return undefined
  }
}

/** The text of each of these tables, including nested tables. */
export function tomlTables(text: string, section: string, names: readonly string[]): Readonly<Record<string, string>> {
  const parts = splitTables(text, section)
  return Object.fromEntries(
    names.flatMap((name) => {
      const own = parts.filter((part) => part.name === name)
      return own.length === 0 ? [] : [[name, own.map((part) => part.text).join('')]]
    }),
  )
}

interface Part {
  /** The name of the table inside the section. Undefined for other parts of the text. */
  readonly name: string | undefined
  readonly text: string
  /** The comments and empty lines after it, which may belong to the next part. */
  readonly trailing: string
}

/** Puts the new tables at the position of the first removed table, or else at the end. */
function replaceTables(text: string, section: string, removed: readonly string[], tables: readonly string[]): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const added = tables.map((table) => table.trim().replaceAll(/\r?\n/g, eol)).join(`${eol}${eol}`)
  let result = ''
  let isInserted = added === ''
  for (const part of splitTables(text, section)) {
    if (part.name === undefined || !removed.includes(part.name)) result += part.text + part.trailing
    // Keeps one empty line where the table was.
    else if (isInserted) result += endsWithGap(result) ? part.trailing.replace(/^(?:[ \t]*\r?\n)+/, '') : part.trailing
    else {
      result += added + (/\r?\n$/.exec(part.text)?.[0] ?? '') + part.trailing
      isInserted = true
    }
  }
  if (isInserted) return result
  const line = result === '' || result.endsWith('\n') ? '' : eol
  return `${result}${line}${endsWithGap(result) ? '' : eol}${added}${eol}`
}

/** Whether the text is empty or ends with an empty line. */
function endsWithGap(text: string): boolean {
  return text === '' || /(?:^|\n)[ \t]*\r?\n$/.test(text.slice(-200))
}

/** Splits the text at the headers of tables. */
function splitTables(text: string, section: string): readonly Part[] {
  const parts: { name: string | undefined; text: string; trailing: string }[] = []
  let last: (typeof parts)[number] = { name: undefined, text: '', trailing: '' }
  parts.push(last)
  for (const line of text.split(/(?<=\n)/)) {
    const key = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line.trimEnd())?.[1]
    if (key !== undefined) {
      const [first, second] = keyParts(key)
      const name = first === section ? second : undefined
      // A table, its nested tables and the comments between them are one part.
      if (name !== undefined && name === last.name) last.text += last.trailing + line
      else parts.push({ name, text: line, trailing: '' })
      last = parts.at(-1) ?? last
      last.trailing = ''
    } else if (/^\s*(?:#.*)?$/.test(line.trimEnd())) last.trailing += line
    else {
      last.text += last.trailing + line
      last.trailing = ''
    }
  }
  return parts
}

/** The parts of a dotted key such as `mcp_servers."my server"`. */
function keyParts(key: string): readonly string[] {
  return [...key.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, quoted, literal, bare]) => bare ?? literal ?? String(parseJson(`"${quoted}"`) ?? quoted),
  )
}

/**
 * Changes single keys in the text of one table. A value of undefined removes the key. Returns undefined if the table
 * cannot be changed safely.
 */
export async function setInTable(
  table: string,
  path: readonly string[],
  values: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const { parse } = await import('smol-toml')
  const isValid = (text: string) => {
    try {
      parse(text)
      return true
    } catch {
      return false
    }
  }
  const eol = table.includes('\r\n') ? '\r\n' : '\n'
  const [header = '', ...rest] = table.split(/(?<=\n)/)
  const pending = new Map(Object.entries(values).filter(([, value]) => value !== undefined))
  const kept: string[] = []
  // A nested table starts with a header of its own.
  let isInTable = true
  for (let at = 0; at < rest.length; at++) {
    let line = rest[at] ?? ''
    isInTable &&= !/^\s*\[/.test(line)
    const key = isInTable ? /^\s*(["']?)([\w-]+)\1\s*=/.exec(line)?.[2] : undefined
    if (key === undefined || !Object.hasOwn(values, key)) {
      kept.push(line)
      continue
    }
    // A list may continue on the next lines.
    while (!isValid(line) && at + 1 < rest.length) line += rest[++at] ?? ''
    if (!pending.has(key)) continue
    kept.push(`${/^\s*/.exec(line)?.[0] ?? ''}${tomlLine(key, pending.get(key))}${eol}`)
    pending.delete(key)
  }
  const added = [...pending].map(([key, value]) => `${tomlLine(key, value)}${eol}`)
  const start = header.endsWith('\n') ? header : `${header}${eol}`
  const changed = [start, ...added, ...kept].join('')
  if (!isValid(changed) || !isValid(table)) return undefined
  const expected = Object.entries({ ...tableAt(parse(table), path), ...values }).filter(
    ([, value]) => value !== undefined,
  )
  return isDeepStrictEqual({ ...tableAt(parse(changed), path) }, Object.fromEntries(expected)) ? changed : undefined
}

/** For strings, lists of strings and booleans, JSON and TOML have the same notation. */
export function tomlLine(key: string, value: unknown): string {
  return `${key} = ${JSON.stringify(value)}`
}

/** An empty object if there is no table at the path. */
function tableAt(document: unknown, path: readonly string[]): Readonly<Record<string, unknown>> {
  const found = valueAt(document, path)
  return isRecord(found) ? found : {}
}

export function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), document)
}
