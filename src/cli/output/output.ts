// The output of a command: results go to stdout, everything else to stderr.

import { createPaint, type Paint } from './paint.ts'
import { createProgress, type ProgressLine } from './progress.ts'
import type { Terminal } from './terminal.ts'
import { printableJson, wrap } from './text.ts'

export interface OutputFlags {
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
  readonly verbose?: boolean | undefined
}

export type { Paint } from './paint.ts'

export interface Output {
  readonly terminal: Terminal
  readonly isJson: boolean
  readonly isQuiet: boolean
  readonly isVerbose: boolean
  readonly width: number
  readonly paint: Paint
  /** The colours for stderr. */
  readonly errPaint: Paint
  /** Prints the answer, as one JSON document or as lines. */
  show(document: unknown, lines: () => readonly string[]): void
  /** Prints one of many answers, each as one line of JSON or of text. */
  showEach(document: unknown, line: () => string): void
  /** Prints further lines of the answer; nothing with --json. */
  print(...lines: readonly string[]): void
  /** Prints a note on stderr; nothing with --quiet. */
  note(text: string): void
  /** Prints a note on stderr, only with --verbose. */
  detail(text: string): void
  /** Prints an error on stderr, and the command to type next. */
  printError(what: string, next?: string): void
  /** Prints an error on stderr as these lines. */
  printErrorLines(lines: readonly string[]): void
  /** A progress line on stderr. It prints nothing without a terminal or with --quiet. */
  progress(): ProgressLine
}

export interface Sinks {
  out(text: string): void
  err(text: string): void
}

const STANDARD_STREAMS: Sinks = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}

export function createOutput(flags: OutputFlags, terminal: Terminal, sinks: Sinks = STANDARD_STREAMS): Output {
  const { json: isJson = false, quiet: isQuiet = false, verbose: isVerbose = false } = flags
  const paint = createPaint(terminal.hasColor)
  const printAll = (lines: readonly string[]) => {
    if (lines.length > 0) sinks.out(`${lines.join('\n')}\n`)
  }
  const { width } = terminal
  const printNote = (text: string) => {
    const { dim } = createPaint(terminal.hasErrColor)
    for (const line of wrap(text, width)) sinks.err(`${dim(line)}\n`)
  }
  return {
    terminal,
    isJson,
    isQuiet,
    isVerbose,
    width,
    paint,
    get errPaint() {
      return createPaint(terminal.hasErrColor)
    },
    show(document, lines) {
      if (isJson) sinks.out(`${printableJson(document)}\n`)
      else printAll(lines())
    },
    showEach(document, line) {
      sinks.out(`${isJson ? printableJson(document, 0) : line()}\n`)
    },
    print: (...lines) => {
      if (!isJson) printAll(lines)
    },
    note(text) {
      if (!isQuiet) printNote(text)
    },
    detail(text) {
      if (isVerbose) printNote(text)
    },
    printError(what, next = '') {
      const { red, bold } = createPaint(terminal.hasErrColor)
      const lines = [
        ...labelled('Error:', what, width, red),
        ...(next === '' ? [] : labelled('Next:', next, width, bold)),
      ]
      sinks.err(`${lines.join('\n')}\n`)
    },
    printErrorLines: (lines) => sinks.err(`${lines.join('\n')}\n`),
    progress: () => createProgress(terminal.isStderrTty && !isQuiet ? sinks.err : undefined, terminal),
  }
}

/** The width of `Error: `. */
const LABEL_COLUMNS = 7

/** Puts the label before the first line, and indents the others below the text. */
function labelled(label: string, text: string, width: number, paint: (text: string) => string): readonly string[] {
  const [first = '', ...others] = wrap(text, width, ' '.repeat(LABEL_COLUMNS))
  return [`${paint(label)}${first.slice(label.length)}`, ...others]
}
