// A pattern of a rule or of a search: a glob or a `/regex/flags`, optionally after a `!`.

import { setNewest } from '../core/collections.ts'
import { linearRegex } from '../core/linear-regex.ts'
import { cutLongText, messageOf } from '../core/text.ts'
import { compileGlob, type NameTest } from './glob.ts'

export interface Pattern {
  /** The pattern as written in the config or the query. */
  readonly text: string
  readonly negated: boolean
  /** Undefined for a glob. */
  readonly regex?: RegexSource
  /** Whether the name matches the pattern without its `!`. Never throws. */
  matches(name: string): boolean
}

export interface PatternProblem {
  readonly kind: 'empty' | 'too-long' | 'double-negation' | 'bad-glob' | 'unclosed-regex' | 'bad-flags' | 'bad-regex'
  readonly message: string
}

type PatternCompilation =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly problem: PatternProblem }

/**
 * A match takes time proportional to the length of the pattern times the length of the name, and a model may send a
 * pattern.
 */
const MAX_CHARS = 1_000

/**
 * Compiled patterns. A config is compiled several times when it is loaded, and most patterns stay the same when the
 * config changes.
 */
const compiled = new Map<string, PatternCompilation>()
const MAX_COMPILED = 2_000

export function compilePattern(text: string): PatternCompilation {
  const known = compiled.get(text)
  if (known !== undefined) return known
  const made = compile(text)
  if (text.length <= MAX_CHARS) setNewest(compiled, text, made, MAX_COMPILED)
  return made
}

function compile(text: string): PatternCompilation {
  const negated = text.startsWith('!')
  const body = negated ? text.slice(1) : text
  if (body === '') return refuse('empty', text, 'there is nothing to match')
  if (body.length > MAX_CHARS) return refuse('too-long', text, `it has more than ${MAX_CHARS} characters`)
  if (negated && body.startsWith('!')) {
    return refuse('double-negation', text, 'one ! is enough; write \\! for a name that starts with one')
  }
  if (body.startsWith('/')) return compileRegexText(text, body, negated)
  const test = compileGlob(body)
  if (test === undefined) {
    const why = 'a { is not closed, a range runs backwards, or it has a form like {1..3} or [[:alpha:]]'
    return refuse('bad-glob', text, `${why}; use a /regex/ instead`)
  }
  return { ok: true, pattern: { text, negated, matches: test } }
}

// A pattern that starts with a slash is meant as a regex. As a glob, `/delete` would silently match nothing.
function compileRegexText(text: string, body: string, negated: boolean): PatternCompilation {
  const end = body.lastIndexOf('/')
  const regex = { source: body.slice(1, end), flags: body.slice(end + 1) }
  if (end === 0 || !/^\w*$/.test(regex.flags)) {
    const why = 'a regex is written /regex/flags; write \\/ for a glob that starts with a slash'
    return refuse('unclosed-regex', text, why)
  }
  if (regex.source === '') return refuse('empty', text, 'there is nothing between the slashes')
  const read = compileRegex(regex)
  if (!read.ok) return refuse(read.kind, text, read.message)
  return { ok: true, pattern: { text, negated, regex, matches: read.test } }
}

function refuse(kind: PatternProblem['kind'], text: string, why: string): PatternCompilation {
  return { ok: false, problem: { kind, message: `Pattern '${cutLongText(text, 80)}' cannot be used: ${why}` } }
}

/** The text between the slashes and the flags after them. */
export interface RegexSource {
  readonly source: string
  readonly flags: string
}

type RegexCompilation =
  | { readonly ok: true; readonly test: NameTest }
  | { readonly ok: false; readonly kind: 'bad-flags' | 'bad-regex'; readonly message: string }
const FLAGS = {
  i: 'CASE_INSENSITIVE',
  m: 'MULTILINE',
  s: 'DOTALL',
  u: undefined, // re2js always reads whole code points
  g: undefined, // one match is enough
} as const

function isFlag(letter: string): letter is keyof typeof FLAGS {
  return Object.hasOwn(FLAGS, letter)
}

export function compileRegex({ source, flags }: RegexSource): RegexCompilation {
  const letters = [...flags]
  const unknown = letters.find((letter) => !isFlag(letter))
  if (unknown !== undefined) return badFlags(`'${unknown}' is not a supported flag; use i, m, s, u or g`)
  if (new Set(letters).size < letters.length) return badFlags('a flag is given twice')
  try {
    const RE2JS = linearRegex()
    const names = letters.filter(isFlag).flatMap((letter) => FLAGS[letter] ?? [])
    const bits = names.reduce((all, name) => all | RE2JS[name], 0)
    const regex = RE2JS.compile(RE2JS.translateRegExp(source), bits)
    return { ok: true, test: (name) => regex.test(name) }
  } catch (error) {
    return { ok: false, kind: 'bad-regex', message: explain(error) }
  }
}

function badFlags(message: string): RegexCompilation {
  return { ok: false, kind: 'bad-flags', message }
}

/** The reason why re2js refuses a regex. */
function explain(error: unknown): string {
  const fault = syntaxFault(error)
  if (fault === undefined) return messageOf(error)
  const reason = fault.part === '' ? fault.error : `${fault.error}: \`${fault.part}\``
  // Look-around and back-references: JavaScript has them, re2js does not.
  const isUnsupported = /^(?:\(\?<?[=!]|\\[1-9k])/.test(fault.part)
  return isUnsupported ? `${reason} (look-around and back-references cannot be matched in linear time)` : reason
}

/** The fields of a RE2JSSyntaxException: what is wrong, and the text of the regex from there. */
function syntaxFault(error: unknown): { readonly error: string; readonly part: string } | undefined {
  if (!(error instanceof Error && 'error' in error && 'input' in error)) return undefined
  const { error: fault, input } = error
  return typeof fault === 'string' ? { error: fault, part: typeof input === 'string' ? input : '' } : undefined
}
