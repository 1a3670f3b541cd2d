// Regular expressions for names, based on re2js. The time of a match is linear in the length of the name.

import { linearRegex } from '../core/linear-regex.ts'
import { messageOf } from '../core/text.ts'
import type { NameTest } from './glob.ts'

/** The text between the slashes and the flags after them. */
export interface RegexSource {
  readonly source: string
  readonly flags: string
}

type RegexCompilation =
  | { readonly ok: true; readonly test: NameTest }
  | { readonly ok: false; readonly kind: 'bad-flags' | 'bad-regex'; readonly message: string }

/** The names of the flags in re2js. */
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
