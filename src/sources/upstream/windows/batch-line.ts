// Writes the command line with which cmd.exe runs a batch file, quoted so that every argument is read as text.

import type { Batch } from './batch-file.ts'

type BatchLine =
  | { readonly ok: true; readonly line: string }
  | { readonly ok: false; readonly reason: string; readonly todo: string }

/** The maximum line length of cmd.exe. */
const MAX_LINE_CHARS = 8_191

/**
 * Programs that read `""` inside quotes as one quote, like the C runtime since 2008. Others, such as programs written
 * in Go, would start a new argument.
 */
const READS_DOUBLED_QUOTES = /^(?:node|python\d*(?:\.\d+)?|pythonw|py|deno|uvx?)$/i

/**
 * Carets do not protect an argument: the `%*` of a batch file is parsed again, and each parser removes one caret.
 * Quotes do, because every parser sees the same pairs: each argument is in one pair, and a quote inside it is doubled.
 * A percent sign has no escape that survives every parser, so it is refused.
 */
export function batchLine(file: string, args: readonly string[], batch: Exclude<Batch, { kind: 'runs' }>): BatchLine {
  const readsAll = batch.kind === 'forwards' ? batch.programs.every(readsDoubledQuotes) : false
  const forbidden = batch.kind === 'opaque' ? /["&|<>^%!()]/ : readsAll ? /%/ : /["%]/
  for (const [index, arg] of args.entries()) {
    const [found] = /\p{Cc}/u.exec(arg.replaceAll('\t', '')) ?? forbidden.exec(arg) ?? []
    if (found !== undefined) return refusal(`its argument ${index + 1} contains ${nameOf(found)}`, file)
  }
  const [inPath] = /[%!"]/.exec(file) ?? []
  if (inPath !== undefined) return refusal(`its path contains ${nameOf(inPath)}`, file)
  const words = [`"${file}"`, ...args.map(quoted)].join(' ')
  // With /s, cmd.exe removes exactly the outer pair of quotes.
  const line = `/d /e:on /v:off /s /c "${words}"`
  return line.length > MAX_LINE_CHARS
    ? refusal(`its arguments are longer than cmd.exe allows`, file)
    : { ok: true, line }
}

function refusal(reason: string, file: string): BatchLine {
  const todo = 'name the program that it starts as the command instead, such as node or python with the script'
  return { ok: false, reason: `${reason}, which cannot be passed safely through the batch file '${file}'`, todo }
}

function readsDoubledQuotes(program: string): boolean {
  const name = program.split(/[\\/]/).at(-1) ?? ''
  return READS_DOUBLED_QUOTES.test(name.replace(/\.exe$/i, ''))
}

/** A plain word stays unquoted: batch files compare their arguments, as in `if "%1"=="start"`. */
function quoted(arg: string): string {
  if (/^[\w./:@+#\\-]+$/.test(arg)) return arg
  // A program halves the backslashes before a quote and leaves other backslashes unchanged.
  return `"${arg.replace(/(\\*)"/g, '$1$1""').replace(/\\+$/, '$&$&')}"`
}

function nameOf(character: string): string {
  if (/\p{Cc}/u.test(character)) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return character === '\n' || character === '\r' ? 'a line break' : `a control character (U+${code})`
  }
  return `the character ${character}`
}
