// Detects an unexpected effect of `\b`: it does not split at `_`, so `/\bread\b/` does not match `read_file`.

import { compileRegex, type RegexSource } from './regex.ts'

/** The character that replaces `_`. It is not a word character and does not occur in names. */
const MARK = '\u001f'

/** Tests whether a name would match if `_` ended a word. Undefined for a regex without `\b` or with an error. */
export function splitAtUnderscores(regex: RegexSource): ((name: string) => boolean) | undefined {
  const source = acceptMark(regex.source)
  if (source === undefined) return undefined
  const compiled = compileRegex({ source, flags: regex.flags })
  if (!compiled.ok) return undefined
  return (name) => compiled.test(name.replaceAll('_', MARK))
}

// The mark must match at every position where `_` did: as itself, in a class, and as one of \w.
function acceptMark(source: string): string | undefined {
  let hasBoundary = false
  let isInClass = false
  const rewritten = source.replace(/\\[\s\S]|[[\]_]/g, (token) => {
    if (token === '[') isInClass = true
    if (token === ']') isInClass = false
    if (token === '\\b' && !isInClass) hasBoundary = true
    if (token !== '_' && token !== '\\w' && token !== '\\_') return token
    return isInClass ? `${token}${MARK}` : `[${token}${MARK}]`
  })
  return hasBoundary ? rewritten : undefined
}
