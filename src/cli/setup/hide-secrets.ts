// Stars in place of secrets, for the lines of a file that are about to be shown.

import { type Format, formatOf, parseDocument } from '../../config/document.ts'
import { escapedStrings } from '../../config/escaped-strings.ts'
import { secretsIn } from '../../config/write-secrets.ts'

/** Those that are known, and whatever else in these texts of the file looks like one. */
export async function secretHider(
  file: string,
  texts: readonly string[],
  known: readonly string[],
): Promise<(line: string) => string> {
  const format = formatOf(file) ?? 'json'
  const documents = await Promise.all(texts.map((text) => parseDocument(text, format, file)))
  const found = documents.flatMap((document) => (document.ok ? secretsIn(document.value) : []))
  const spellings = [...known.flatMap((value) => [value, ...written(value)]), ...found.flatMap(written)]
  const escaped = await Promise.all(texts.map((text) => escapedSpellings(text, format, [...known, ...found])))
  // The longest first: one may contain another.
  const ordered = [...new Set([...spellings, ...escaped.flat()])].toSorted((a, b) => b.length - a.length)
  return (line) => ordered.reduce((rest, secret) => rest.replaceAll(secret, '***'), withoutNamed(line))
}

/** A short one with its quotes: without them it may be part of any word. */
const SHORT = 8

function written(value: string): readonly string[] {
  const quoted = JSON.stringify(value)
  if (value.length < SHORT) return [quoted, `'${value}'`]
  // It may go on over several lines.
  const pieces = value.split(/\s+/).filter((piece) => piece.length >= SHORT)
  return [value, quoted.slice(1, -1), ...pieces]
}

/** The lines of every string that only its escapes keep from being found. */
async function escapedSpellings(text: string, format: Format, secrets: readonly string[]): Promise<readonly string[]> {
  const strings = await escapedStrings(text, format)
  return strings
    .filter(({ value }) => secrets.some((secret) => value.includes(secret)))
    .flatMap((one) => one.written.split('\n'))
    .map((line) => line.trim())
    .filter((line) => /\w/.test(line))
}

const NAMED = /(["']?)(?<![\w.-])([\w.-]+)\1(\s*[:=]\s*)(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/g

/** What its name gives away, also in a comment or where a second one of this name hides it from a parser. */
function withoutNamed(line: string): string {
  return line.replace(NAMED, (whole, quote: string, name: string, sign: string, double?: string, single?: string) => {
    const value = double ?? single ?? ''
    return secretsIn({ [name]: value }).includes(value) ? `${quote}${name}${quote}${sign}"***"` : whole
  })
}
