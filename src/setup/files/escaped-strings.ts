// Finds the strings of a document that contain escapes, so that their written form differs from their value.

import type { Format } from '../../config/document.ts'

interface EscapedString {
  /** The string as in the text, with its quotes. */
  readonly written: string
  readonly value: string
}

export async function escapedStrings(text: string, format: Format): Promise<readonly EscapedString[]> {
  if (!text.includes('\\')) return []
  const found = await readers[format](text.replace(/^\uFEFF/, ''))
  return found.flatMap(({ written, value }) =>
    written.includes('\\') && typeof value === 'string' ? [{ written, value }] : [],
  )
}

interface Found {
  readonly written: string
  readonly value: unknown
}

const readers: Readonly<Record<Format, (text: string) => Promise<readonly Found[]>>> = {
  async json(text) {
    const { visit } = await import('jsonc-parser')
    const found: Found[] = []
    visit(text, {
      onLiteralValue: (value, offset, length) => found.push({ written: text.slice(offset, offset + length), value }),
    })
    return found
  },
  async yaml(text) {
    const { Lexer, parse } = await import('yaml')
    const quoted = [...new Lexer().lex(text)].filter((lexeme) => lexeme.startsWith('"'))
    return quoted.map((written) => ({ written, value: parsed(() => parse(written, { logLevel: 'silent' })) }))
  },
  async toml(text) {
    const { parse } = await import('smol-toml')
    const quoted = text.match(/"""(?:[^\\]|\\[\s\S])*?"""|"(?:[^"\\\n]|\\.)*"/g) ?? []
    return quoted.map((written) => ({ written, value: parsed(() => parse(`a = ${written}`).a) }))
  },
}

/** A quoted text in a comment may not be a valid string. */
function parsed(parse: () => unknown): unknown {
  try {
    return parse()
  } catch {
    return undefined
  }
}
