// Changes single keys in the text of one TOML table, and keeps its other lines.

import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../core/is-record.ts'

/** A value of undefined removes the key. Returns undefined if the table cannot be changed safely. */
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
  const lines = table.split(/(?<=\n)/)
  const [header = '', ...rest] = lines
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
  const expected = Object.entries({ ...valueAt(parse(table), path), ...values }).filter(
    ([, value]) => value !== undefined,
  )
  return isDeepStrictEqual({ ...valueAt(parse(changed), path) }, Object.fromEntries(expected)) ? changed : undefined
}

/** For strings, lists of strings and booleans, JSON and TOML have the same notation. */
export function tomlLine(key: string, value: unknown): string {
  return `${key} = ${JSON.stringify(value)}`
}

function valueAt(document: unknown, path: readonly string[]): Readonly<Record<string, unknown>> {
  const found = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), document)
  return isRecord(found) ? found : {}
}
