// Stars in place of secrets, for the lines of a file that are about to be shown.

import { formatOf, parseDocument } from '../../config/document.ts'
import { secretsIn } from '../../config/write-secrets.ts'

/** Those that are known, and whatever else in these texts of the file looks like one. */
export async function secretHider(
  file: string,
  texts: readonly string[],
  known: readonly string[],
): Promise<(line: string) => string> {
  const documents = await Promise.all(texts.map((text) => parseDocument(text, formatOf(file) ?? 'json', file)))
  const found = documents.flatMap((document) => (document.ok ? secretsIn(document.value).flatMap(written) : []))
  const all = new Set([...known.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]), ...found])
  // The longest first: one may contain another.
  const ordered = [...all].toSorted((a, b) => b.length - a.length)
  return (line) => ordered.reduce((rest, secret) => rest.replaceAll(secret, '***'), line)
}

/** A short one with its quotes: without them it may be part of any word. */
const SHORT = 8

function written(value: string): readonly string[] {
  const quoted = JSON.stringify(value)
  return value.length < SHORT ? [quoted, `'${value}'`] : [value, quoted.slice(1, -1)]
}
