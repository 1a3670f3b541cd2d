// Takes tables out of a text of TOML, or puts them in, and leaves the rest of the text as it is.

import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../core/schema.ts'

export interface TomlChange {
  /** The table that holds the others: `mcp_servers`. */
  readonly section: string
  readonly remove: readonly string[]
  /** Whole tables, as text, by name. */
  readonly add: Readonly<Record<string, string>>
}

/** Undefined where the text could not be changed safely. */
export async function changeToml(text: string, { section, remove, add }: TomlChange): Promise<string | undefined> {
  const { parse } = await import('smol-toml')
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(mark.length)
  try {
    const before: unknown = parse(body)
    const gone = [...remove, ...Object.keys(add)]
    const changed = replaced(body, section, gone, Object.values(add))
    const after: unknown = parse(changed)
    const expected = Object.entries(entriesOf(before, section)).filter(([name]) => !gone.includes(name))
    const found = Object.entries(entriesOf(after, section)).filter(([name]) => !Object.hasOwn(add, name))
    const isRestSame = isDeepStrictEqual(without(before, section), without(after, section))
    return isRestSame && isDeepStrictEqual(found, expected) ? `${mark}${changed}` : undefined
  } catch {
    return undefined
  }
}

/** The text of each of these tables, with the tables inside them. */
export function tomlTables(text: string, section: string, names: readonly string[]): Readonly<Record<string, string>> {
  const parts = split(text, section)
  return Object.fromEntries(
    names.flatMap((name) => {
      const own = parts.filter((part) => part.name === name)
      return own.length === 0 ? [] : [[name, own.map((part) => part.text).join('')]]
    }),
  )
}

interface Part {
  /** The table of the section that it belongs to. */
  readonly name: string | undefined
  readonly text: string
  /** Comments and empty lines after it, which may be about what comes next. */
  readonly behind: string
}

/** What is new stands where the first that is gone stood, else at the end. */
function replaced(text: string, section: string, gone: readonly string[], tables: readonly string[]): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const added = tables.map((table) => table.trim().replaceAll(/\r?\n/g, eol)).join(`${eol}${eol}`)
  let result = ''
  let isPlaced = added === ''
  for (const part of split(text, section)) {
    if (part.name === undefined || !gone.includes(part.name)) result += part.text + part.behind
    else if (isPlaced) result += isGapAt(result) ? part.behind.replace(/^(?:[ \t]*\r?\n)+/, '') : part.behind
    else {
      result += added + (/\r?\n$/.exec(part.text)?.[0] ?? '') + part.behind
      isPlaced = true
    }
  }
  if (isPlaced) return result
  const line = result === '' || result.endsWith('\n') ? '' : eol
  return `${result}${line}${isGapAt(result) ? '' : eol}${added}${eol}`
}

/** At the beginning, or after an empty line. */
function isGapAt(text: string): boolean {
  return text === '' || /(?:^|\n)[ \t]*\r?\n$/.test(text.slice(-200))
}

function split(text: string, section: string): readonly Part[] {
  const parts: { name: string | undefined; text: string; behind: string }[] = []
  let last: (typeof parts)[number] = { name: undefined, text: '', behind: '' }
  parts.push(last)
  for (const line of text.split(/(?<=\n)/)) {
    const key = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line.trimEnd())?.[1]
    if (key !== undefined) {
      const [first, second] = keyParts(key)
      const name = first === section ? second : undefined
      // What stands between a table and one inside it belongs to both.
      if (name !== undefined && name === last.name) last.text += last.behind + line
      else parts.push({ name, text: line, behind: '' })
      last = parts.at(-1) ?? last
      last.behind = ''
    } else if (/^\s*(?:#.*)?$/.test(line.trimEnd())) last.behind += line
    else {
      last.text += last.behind + line
      last.behind = ''
    }
  }
  return parts
}

function keyParts(key: string): readonly string[] {
  return [...key.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, quoted, literal, bare]) => bare ?? literal ?? unescaped(quoted ?? ''),
  )
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}

function entriesOf(document: unknown, section: string): Readonly<Record<string, unknown>> {
  const entries = isRecord(document) ? document[section] : undefined
  return isRecord(entries) ? entries : {}
}

function without(document: unknown, section: string): unknown {
  if (!isRecord(document)) return document
  const { [section]: _section, ...rest } = document
  return rest
}
