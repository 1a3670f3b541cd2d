// Values and names as text for a type.

import { escapeInJson } from '../clean-text.ts'

const MAX_DEPTH = 4
const MAX_ENTRIES = 12

/**
 * `'open'`, `5`, `['a', 'b']`, `{a: 1}`. Undefined if the text would exceed `max` characters, or if the value has too
 * many entries or levels.
 */
export function literalText(value: unknown, max: number, depth = 0): string | undefined {
  const text = writeLiteral(value, max, depth)
  return text === undefined || text.length > max ? undefined : text
}

/** The name of a field, quoted only if it could not be parsed back otherwise. */
export function nameText(name: string): string {
  return /^[\w$@-][\w$@.-]*$/.test(name) ? name : quote(name)
}

function writeLiteral(value: unknown, max: number, depth: number): string | undefined {
  if (typeof value === 'string') return value.length > max ? undefined : quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value)
  if (depth >= MAX_DEPTH || entries.length > MAX_ENTRIES) return undefined
  const parts: string[] = []
  for (const [name, inner] of entries) {
    const text = literalText(inner, max, depth + 1)
    if (text === undefined) return undefined
    parts.push(Array.isArray(value) ? text : `${nameText(name)}: ${text}`)
  }
  return Array.isArray(value) ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`
}

// Single quotes, because the text is sent inside JSON, where each double quote costs an escape.
function quote(text: string): string {
  // A name can contain invisible characters. A caller can see and send them as JSON escapes.
  const inner = escapeInJson(JSON.stringify(text)).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}
