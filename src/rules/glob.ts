// Globs over names, by picomatch: `*` any characters, `?` one, `[a-z]` one of, `{a,b}` either; case does not matter.

import picomatch from 'picomatch'
import { RE2JS } from 're2js'

export type NameTest = (name: string) => boolean

/** Undefined for a glob that cannot be read. A backslash takes the next character literally; all others are themselves. */
export function compileGlob(text: string): NameTest | undefined {
  if (!PLAIN.test(text)) return compileParsed(text)
  const matchPlain = compilePlain(text)
  let matchAny: NameTest | undefined
  return (name) => {
    if (ASCII.test(name)) return matchPlain(name)
    matchAny ??= compileParsed(text)
    return matchAny?.(name) === true
  }
}

/** Only stars and characters that mean themselves: nearly every glob in practice, and some three times faster. */
const PLAIN = /^[\w*./:@-]+$/
// Outside of ASCII, lower case alone does not settle which letters are equal.
const ASCII = /^[\0-\x7f]*$/

function compilePlain(text: string): NameTest {
  const parts = text.toLowerCase().split(/\*+/)
  const [first = '', ...others] = parts
  const last = others.pop()
  if (last === undefined) return (name) => name.toLowerCase() === first
  return (name) => {
    const lower = name.toLowerCase()
    if (!lower.startsWith(first)) return false
    let from = first.length
    for (const part of others) {
      // The earliest place is as good as any other, so nothing is ever tried twice.
      const at = lower.indexOf(part, from)
      if (at < 0) return false
      from = at + part.length
    }
    return lower.length - last.length >= from && lower.endsWith(last)
  }
}

// Stand-ins, in globs and in names. Picomatch thinks in paths, and where it sees no slash none of its rules for them
// applies; four backslashes at the end of a glob make it loop for ever.
const SLASH = '\u001f'
const BACKSLASH = '\u001e'

function compileParsed(text: string): NameTest | undefined {
  try {
    const { source } = picomatch.makeRe(escapeForPicomatch(text), {
      bash: true, // `*` crosses everything
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
    // Its regex would backtrack: `*a*b*c*` over a name of some thousand characters, sent by a hostile server, takes hours.
    const regex = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL)
    return (name) => regex.test(name.replaceAll('/', SLASH).replaceAll('\\', BACKSLASH))
  } catch {
    return undefined
  }
}

// {1..10} would come out as the character class [1-10]: better not understood than misunderstood.
function refuseRange(): never {
  throw new Error('a range in braces')
}

// What is special to picomatch and not to us: `**`, groups, alternatives, quotes, and letters after a backslash.
const TOKENS = /\\[\s\S]?|\[[!^]?|\*+|[()|"'^$+@!~/]/g

function escapeForPicomatch(text: string): string {
  return text.replace(TOKENS, (token) => {
    if (token === '/' || token === '\\/') return SLASH
    if (token === '\\' || token === '\\\\') return BACKSLASH
    if (token.startsWith('\\')) return /[!-/:-@[-`{-~]/.test(token.charAt(1)) ? token : token.charAt(1)
    if (token.startsWith('*')) return '*'
    return token.startsWith('[') ? token : `\\${token}`
  })
}
