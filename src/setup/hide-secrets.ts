// Masks secrets in the lines of a file that are printed.

import { type Format, formatOf, parseDocument } from '../config/document.ts'
import { secretsIn } from './files/write-secrets.ts'

/** Returns a function that masks the known values, and everything else in these texts that looks like a secret. */
export async function createSecretMask(
  file: string,
  texts: readonly string[],
  known: readonly string[],
): Promise<(line: string) => string> {
  const format = formatOf(file) ?? 'json'
  const documents = await Promise.all(texts.map((text) => parseDocument(text, format, file)))
  const found = documents.flatMap((document) => (document.ok ? secretsIn(document.value) : []))
  const spellings = [...known.flatMap((value) => [value, ...spellingsOf(value)]), ...found.flatMap(spellingsOf)]
  const escaped = await Promise.all(texts.map((text) => escapedSpellings(text, format, [...known, ...found])))
  // Replaces the longest spelling first, because one spelling may contain another.
  const ordered = [...new Set([...spellings, ...escaped.flat()])].toSorted((a, b) => b.length - a.length)
  return (line) => ordered.reduce((rest, secret) => rest.replaceAll(secret, '***'), maskNamed(line))
}

/**
 * A shorter value that only looks like a secret is masked with its quotes, because without them it may be part of any
 * word. A known value is always masked.
 */
const MIN_UNQUOTED = 8

/** The texts to mask: a short value with quotes; a longer value as it is, with JSON escapes, and in pieces. */
function spellingsOf(value: string): readonly string[] {
  const quoted = JSON.stringify(value)
  if (value.length < MIN_UNQUOTED) return [quoted, `'${value}'`]
  // The value may span several lines.
  const pieces = value.split(/\s+/).filter((piece) => piece.length >= MIN_UNQUOTED)
  return [value, quoted.slice(1, -1), ...pieces]
}

/** The lines of each string that has escapes and contains a secret: a search for the secret may not find it there. */
async function escapedSpellings(text: string, format: Format, secrets: readonly string[]): Promise<readonly string[]> {
  if (!text.includes('\\')) return []
  const found = await readers[format](text.replace(/^\uFEFF/, ''))
  return found
    .filter(({ written }) => written.includes('\\'))
    .filter(({ value }) => typeof value === 'string' && secrets.some((secret) => value.includes(secret)))
    .flatMap(({ written }) => written.split('\n'))
    .map((line) => line.trim())
    .filter((line) => /\w/.test(line))
}

/** A name, `:` or `=`, and a quoted value. */
const NAMED = /(["']?)(?<![\w.-])([\w.-]+)\1(\s*[:=]\s*)(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/g

/** Masks a value if the name before it is that of a secret, even in a comment or in a duplicate key. */
function maskNamed(line: string): string {
  return line.replace(NAMED, (whole, quote: string, name: string, sign: string, double?: string, single?: string) => {
    const value = double ?? single ?? ''
    return secretsIn({ [name]: value }).includes(value) ? `${quote}${name}${quote}${sign}"***"` : whole
  })
}

interface FoundValue {
  /** The value as in the text, with its quotes. */
  readonly written: string
  readonly value: unknown
}

const readers: Readonly<Record<Format, (text: string) => Promise<readonly FoundValue[]>>> = {
  async json(text) {
    const { visit } = await import('jsonc-parser')
    const found: FoundValue[] = []
    visit(text, {
      onLiteralValue: (value, offset, length) => found.push({ written: text.slice(offset, offset + length), value }),
    })
    return found
  },
  async yaml(text) {
    const { Lexer, parse } = await import('yaml')
    const quoted = [...new Lexer().lex(text)].filter((lexeme) => lexeme.startsWith('"'))
    return quoted.map((written) => ({ written, value: tryParse(() => parse(written, { logLevel: 'silent' })) }))
  },
  async toml(text) {
    const { parse } = await import('smol-toml')
    const quoted = text.match(/"""(?:[^\\]|\\[\s\S])*?"""|"(?:[^"\\\n]|\\.)*"/g) ?? []
    return quoted.map((written) => ({ written, value: tryParse(() => parse(`a = ${written}`).a) }))
  },
}

/** Undefined if the text is not a valid string, for example quotes in a comment. */
function tryParse(parse: () => unknown): unknown {
  try {
    return parse()
  } catch {
    return undefined
  }
}
