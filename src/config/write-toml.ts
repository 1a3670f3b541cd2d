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
  try {
    const before: unknown = parse(text)
    const gone = [...remove, ...Object.keys(add)]
    const kept = split(text, section).filter(({ name }) => name === undefined || !gone.includes(name))
    const rest = kept
      .map((part) => part.text)
      .join('')
      .trimEnd()
    const added = Object.values(add).map((table) => table.trim())
    const changed = `${[...(rest === '' ? [] : [rest]), ...added].join('\n\n')}\n`
    const after: unknown = parse(changed)
    const expected = Object.entries(entriesOf(before, section)).filter(([name]) => !gone.includes(name))
    const found = Object.entries(entriesOf(after, section)).filter(([name]) => !Object.hasOwn(add, name))
    const isRestSame = isDeepStrictEqual(without(before, section), without(after, section))
    return isRestSame && isDeepStrictEqual(found, expected) ? changed : undefined
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
}

function split(text: string, section: string): readonly Part[] {
  const parts: { name: string | undefined; text: string }[] = [{ name: undefined, text: '' }]
  for (const line of text.split(/(?<=\n)/)) {
    const key = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line.trimEnd())?.[1]
    if (key !== undefined) {
      const [first, second] = keyParts(key)
      parts.push({ name: first === section ? second : undefined, text: '' })
    }
    const last = parts.at(-1)
    if (last !== undefined) last.text += line
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
