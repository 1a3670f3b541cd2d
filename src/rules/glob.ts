// Globs for names, based on picomatch: `*`, `?`, classes such as `[a-z]` and alternatives `{a,b}`, ignoring case.

import { createRequire } from 'node:module'
import { linearRegex } from '../core/linear-regex.ts'

export type NameTest = (name: string) => boolean

/**
 * Returns undefined for an invalid glob. A backslash makes the next character literal. Characters that are special only
 * in other globs, such as `(`, `|` and `+`, are literal.
 */
export function compileGlob(text: string): NameTest | undefined {
  return PLAIN.test(text) ? compilePlain(text) : compileParsed(text)
}

/** Nearly all globs have only stars and literal characters. `compilePlain` matches these about three times as fast. */
const PLAIN = /^[\w*./:@-]+$/
const ASCII = /^[\0-\x7f]*$/
// If case is ignored, only two letters outside of ASCII equal an ASCII letter: the Kelvin sign and the long s. But
// `toLowerCase` also turns other letters, such as a capital I with a dot, into text with an ASCII letter.
const EQUAL_TO_ASCII = /[A-Z\u212a\u017f]/g

function foldCase(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase()
  return name.replace(EQUAL_TO_ASCII, (letter) => (letter === '\u017f' ? 's' : letter.toLowerCase()))
}

function compilePlain(text: string): NameTest {
  const parts = text.toLowerCase().split(/\*+/)
  const [first = '', ...others] = parts
  const last = others.pop()
  if (last === undefined) return (name) => foldCase(name) === first
  return (name) => {
    const lower = foldCase(name)
    if (!lower.startsWith(first)) return false
    let from = first.length
    for (const part of others) {
      // The earliest match leaves the most text for the other parts, so no other match has to be tried.
      const at = lower.indexOf(part, from)
      if (at < 0) return false
      from = at + part.length
    }
    return lower.length - last.length >= from && lower.endsWith(last)
  }
}

// Replacements for `/` and `\`, in globs and in names. Without slashes, the path rules of picomatch do not apply.
// Backslashes are replaced because four of them at the end of a glob make picomatch loop forever.
const SLASH = '\u001f'
const BACKSLASH = '\u001e'

function compileParsed(text: string): NameTest | undefined {
  try {
    // Loaded here, because nearly all globs have only stars and literal characters.
    // `require` gives the module that the type describes.
    const picomatch = createRequire(import.meta.url)('picomatch') as typeof import('picomatch')
    const { source } = picomatch.makeRe(escapeForPicomatch(text), {
      bash: true, // `*` matches every character
      dot: true,
      posix: true, // [!a] negates
      literalBrackets: false,
      noextglob: true,
      nonegate: true,
      fastpaths: false,
      windows: false,
      debug: true, // throw, instead of a regex that never matches
      expandRange: refuseRange,
    })
    // As a JavaScript RegExp, this source would backtrack: `?*a*b*c*d*e*` takes hours for a name of some thousand
    // characters, which a hostile server may send.
    const RE2JS = linearRegex()
    const regex = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL)
    return (name) => regex.test(name.replaceAll('/', SLASH).replaceAll('\\', BACKSLASH))
  } catch {
    return undefined
  }
}

// Picomatch turns {1..10} into the character class [1-10]. An error is better than a wrong match.
function refuseRange(): never {
  throw new Error('a range in braces')
}

// Escapes, the start of a class, stars, and characters that are special in picomatch but literal here, such as `(`.
const TOKENS = /\\[\s\S]?|\[[!^]?|\*+|[()|"'^$+@!~/]/g
const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/

function escapeForPicomatch(text: string): string {
  return text.replace(TOKENS, (token) => {
    if (token === '/' || token === '\\/') return SLASH
    if (token === '\\' || token === '\\\\') return BACKSLASH
    // A backslash stays only before punctuation: `\d` would match any digit instead of the letter d.
    if (token.startsWith('\\')) return ASCII_PUNCTUATION.test(token.charAt(1)) ? token : token.charAt(1)
    if (token.startsWith('*')) return '*'
    return token.startsWith('[') ? token : `\\${token}`
  })
}
