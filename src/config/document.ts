// Parses the text of a file: JSON with comments and trailing commas, YAML or TOML. Loads parsers only when needed.

import { extname } from 'node:path'
import type { ParseError } from 'jsonc-parser'
import { isRecord } from '../core/is-record.ts'
import { type ConfigFinding, type ConfigProblem, fileProblem, problemAt } from './problem.ts'

export type Format = 'json' | 'yaml' | 'toml'

export type Document =
  /** `isEmpty`: the file is empty, or contains only `null` or comments. The value is then `{}`. */
  | { readonly ok: true; readonly value: unknown; readonly isEmpty?: true }
  | { readonly ok: false; readonly problem: ConfigProblem }

type Outcome = { readonly value: unknown } | { readonly reason: string; readonly offset?: number }

// Far more levels than any config needs, and far fewer than overflow the stack of a recursive parser.
const MAX_DEPTH = 1_000

const EMPTY_DOCUMENT: Document = { ok: true, value: {}, isEmpty: true }

const FORMATS: Readonly<Record<string, Format>> = {
  '.json': 'json',
  '.jsonc': 'json',
  '.json5': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.toml': 'toml',
}

export function formatOf(path: string): Format | undefined {
  return FORMATS[extname(path).toLowerCase()]
}

export async function parseDocument(text: string, format: Format, file: string): Promise<Document> {
  const body = text.replace(/^\uFEFF/, '')
  // Clients leave empty files behind. An empty file is not an error.
  if (body.trim() === '') return EMPTY_DOCUMENT
  const outcome = await parseBody(body, format)
  if ('value' in outcome) return outcome.value == null ? EMPTY_DOCUMENT : { ok: true, value: outcome.value }
  return { ok: false, problem: fileProblem(file, syntaxFinding(body, format, outcome)) }
}

/**
 * Parses a config file of Toolcrib. A JSON file in which an object has the same key twice is not valid: parsers keep
 * only the last of two equal keys, so a rule that disables tools could disappear without a message. The parsers of YAML
 * and TOML refuse equal keys themselves.
 */
export async function parseConfigDocument(text: string, format: Format, file: string): Promise<Document> {
  const document = await parseDocument(text, format, file)
  if (format !== 'json' || !document.ok || countColons(text) === countKeys(document.value)) return document
  const path = await findEqualKey(text)
  if (path === undefined) return document
  const key = String(path.at(-1))
  const message = `The key ${JSON.stringify(key)} is there twice, and only the last one would be used. Join the two, or remove one`
  return {
    ok: false,
    problem: problemAt({ file, path }, { expected: 'each key once', found: 'two equal keys', message }),
  }
}

/** Counts the colons outside strings and comments. This is the number of keys as they are written. */
function countColons(text: string): number {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '').split(':').length - 1
}

/** Counts the keys of all objects in the value. Without recursion, because a value may be nested very deeply. */
function countKeys(value: unknown): number {
  let count = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (isRecord(next)) count += Object.keys(next).length
    if (isRecord(next) || Array.isArray(next)) for (const item of Object.values(next)) open.push(item)
  }
  return count
}

/** Finds the path of the first key that its object already has. */
async function findEqualKey(text: string): Promise<readonly PropertyKey[] | undefined> {
  const { visit } = await import('jsonc-parser')
  const open: Set<string>[] = []
  let found: readonly PropertyKey[] | undefined
  visit(text.replace(/^\uFEFF/, ''), {
    onObjectBegin() {
      open.push(new Set())
    },
    onObjectProperty(key, _offset, _length, _line, _character, path) {
      const known = open.at(-1)
      if (known?.has(key)) found ??= [...path(), key]
      known?.add(key)
    },
    onObjectEnd() {
      open.pop()
    },
  })
  return found
}

async function parseBody(text: string, format: Format): Promise<Outcome> {
  try {
    if (format === 'json') return await parseJson(text)
    return format === 'yaml' ? await parseYaml(text) : await parseToml(text)
  } catch {
    // A parser throws, for example, for an unknown alias, or for aliases that expand without limit.
    return { reason: 'the parser stopped with an error' }
  }
}

async function parseJson(text: string): Promise<Outcome> {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    if (isTooDeep(text, '"')) return TOO_DEEP
    const { parse, printParseErrorCode, stripComments } = await import('jsonc-parser')
    if (stripComments(text).trim() === '') return { value: undefined }
    const errors: ParseError[] = []
    const value: unknown = parse(text, errors, { allowTrailingComma: true })
    const [first] = errors
    return first === undefined ? { value } : { reason: inWords(printParseErrorCode(first.error)), offset: first.offset }
  }
}

async function parseYaml(text: string): Promise<Outcome> {
  if (isTooDeep(text)) return TOO_DEEP
  const { parseDocument: parse } = await import('yaml')
  const document = parse(text, { prettyErrors: false, logLevel: 'silent', merge: true })
  const [first] = document.errors
  return first === undefined
    ? { value: document.toJS() as unknown }
    : { reason: inWords(first.code), offset: first.pos[0] }
}

async function parseToml(text: string): Promise<Outcome> {
  if (text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return { value: undefined }
  const { parse, TomlError } = await import('smol-toml')
  try {
    return { value: parse(text) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const offset = offsetOf(text, error.line, error.column)
    return { reason: tomlReason(error.message, text[offset]), offset }
  }
}

/** The messages of the TOML parser that need other words. */
const TOML_REASONS: Readonly<Record<string, string>> = {
  'trying to redefine an already defined table or value': 'duplicate key or table',
  'trying to redefine an already defined value': 'duplicate key',
  'unfinished string': 'a string without its closing quote',
  'unfinished array': 'a list without its closing bracket',
  'unfinished table': 'a table without its closing brace',
  'invalid value': 'invalid value; a text needs quotes',
  'expected comma or end of structure': 'comma or closing bracket expected',
  'each key-value declaration must be followed by an end-of-line': 'line end expected after a value',
  'incomplete key-value: cannot find end of key': "'=' or closing bracket expected after a key",
  'expected end of table array declaration': "']]' expected after the name of a table",
  'illegal character in key': 'a character that a key cannot have without quotes',
  'unexpected end of key': 'key expected',
  'illegal empty bare key': 'key expected',
  'unrecognised escape sequence': 'invalid escape sequence in a string',
  'invalid unicode escape': 'invalid escape sequence in a string',
  'invalid non-hex character in unicode escape': 'invalid escape sequence in a string',
  'illegal leading zero': 'a number that starts with 0',
  'invalid date': 'invalid date',
}
const CONTROL_CHARACTER = 'control characters are not allowed in strings'

/**
 * `found` is the character at the position of the error. An unknown message is not used: a later version of the parser
 * may quote the text.
 */
function tomlReason(message: string, found: string | undefined): string {
  const [line = ''] = message.replace('Invalid TOML document: ', '').split('\n')
  const isLineEnd = found === '\n' || found === '\r'
  if (line === CONTROL_CHARACTER) {
    return isLineEnd ? 'a string without its closing quote' : 'control character in a string'
  }
  if (line === 'illegal character in key' && isLineEnd) return "'=' or closing bracket expected after a key"
  return (Object.hasOwn(TOML_REASONS, line) ? TOML_REASONS[line] : undefined) ?? 'a syntax error'
}

const TOO_DEEP: Outcome = { reason: 'nested too deeply' }

/**
 * Checks the number of open brackets, except in strings between two `quote`s. Without `quote`, also checks the
 * indentation and dashes of each line, which are levels in YAML.
 */
function isTooDeep(text: string, quote?: string): boolean {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === quote) isQuoted = !isQuoted
    else if (isQuoted) at += letter === '\\' ? 1 : 0
    else if (letter === '[' || letter === '{') depth++
    else if (letter === ']' || letter === '}') depth = Math.max(0, depth - 1)
    if (depth > MAX_DEPTH) return true
  }
  return quote === undefined && text.split('\n').some((line) => line.search(/[^\s?:-]/) > MAX_DEPTH / 2)
}

// Turns an error code such as `CloseBraceExpected` into words. The messages of the parsers are not used: they quote the
// line, which may contain a token.
function inWords(code: string): string {
  return code
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
}

function syntaxFinding(
  text: string,
  format: Format,
  { reason, offset }: { reason: string; offset?: number },
): ConfigFinding {
  const name = format.toUpperCase()
  const finding = { expected: `valid ${name}`, found: reason, message: `Not valid ${name}: ${reason}` }
  if (offset === undefined) return finding
  const before = text.slice(0, offset).split('\n')
  return { ...finding, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n').slice(0, line - 1)
  return lines.reduce((sum, one) => sum + one.length + 1, column - 1)
}
