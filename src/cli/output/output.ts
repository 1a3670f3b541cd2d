// The output of a command: results go to stdout, everything else to stderr.

import { errorCode, shellWord } from '../../core/text.ts'
import type { Terminal } from './terminal.ts'
import { cut, oneLine, printableJson, shortenPaths, shortPath, wrap } from './text.ts'

export interface OutputFlags {
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
  readonly verbose?: boolean | undefined
}

export interface Output {
  readonly terminal: Terminal
  readonly isJson: boolean
  readonly isQuiet: boolean
  readonly isVerbose: boolean
  readonly width: number
  readonly paint: Paint
  /** The colours for stderr. */
  readonly errPaint: Paint
  /** Lines that fit the terminal, each with `indent`. */
  wrap(text: string, indent?: string): readonly string[]
  /** A path for people: on one line, with `~` for the home folder. */
  path(file: string): string
  /** A text for people, with `~` for the home folder in its paths. */
  shorten(text: string): string
  /** Adds the `--config` of this command to each `toolcrib` command in backticks, so that it uses the same file. */
  keepConfig(text: string): string
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
  /** Prints an error on stderr, and the command to type next. Shortens paths, and keeps `--config` of this command. */
  printError(what: string, next?: string): void
  /** Prints an error on stderr as these lines. */
  printErrorLines(lines: readonly string[]): void
  /** A progress line on stderr. It prints nothing without a terminal or with --quiet. */
  progress(): ProgressLine
}

interface OutputOptions {
  /** The home folder. Without it, paths are not shortened. */
  readonly home?: string
  /** The value of --config. */
  readonly config?: string | undefined
  readonly sinks?: Sinks
}

export interface Sinks {
  out(text: string): void
  err(text: string): void
}

const STANDARD_STREAMS: Sinks = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}

export function createOutput(
  flags: OutputFlags,
  terminal: Terminal,
  { home = '', config, sinks = STANDARD_STREAMS }: OutputOptions = {},
): Output {
  const { json: isJson = false, quiet: isQuiet = false, verbose: isVerbose = false } = flags
  const paint = createPaint(terminal.hasColor)
  const printAll = (lines: readonly string[]) => {
    if (lines.length > 0) sinks.out(`${lines.join('\n')}\n`)
  }
  const { width } = terminal
  const shorten = (text: string) => shortenPaths(text, home)
  const keepConfig = (text: string) =>
    text.replace(/(?<=`)toolcrib [^`]+(?=`)/g, (command) => withConfig(command, config, home))
  const printNote = (text: string) => {
    const { dim } = createPaint(terminal.hasErrColor)
    for (const line of wrap(keepConfig(text), width)) sinks.err(`${dim(line)}\n`)
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
    wrap: (text, indent) => wrap(text, width, indent),
    path: (file) => oneLine(shortPath(file, home)),
    shorten,
    keepConfig,
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
        ...labelled('Error:', keepConfig(shorten(what)), width, red),
        ...(next === '' ? [] : labelled('Next:', keepConfig(shorten(next)), width, bold)),
      ]
      sinks.err(`${lines.join('\n')}\n`)
    },
    printErrorLines: (lines) => sinks.err(`${lines.join('\n')}\n`),
    progress: () => createProgress(terminal.isStderrTty && !isQuiet ? sinks.err : undefined, terminal),
  }
}

/** Adds `--config` to a command that another one suggests, unless the command has it or only shows help. */
export function withConfig(command: string, config: string | undefined, home = ''): string {
  const [before = '', ...after] = command.split(/(?= -- )/)
  if (config === undefined || /\s--(?:config|help)(?=[\s=]|$)/.test(before)) return command
  return `${before} --config ${shellWord(shortPath(config, home))}${after.join('')}`
}

/** The width of `Error: `. */
const LABEL_COLUMNS = 7

/** Puts the label before the first line, and indents the others below the text. */
function labelled(label: string, text: string, width: number, paint: (text: string) => string): readonly string[] {
  const [first = '', ...others] = wrap(text, width, ' '.repeat(LABEL_COLUMNS))
  return [`${paint(label)}${first.slice(label.length)}`, ...others]
}

/** The codes that start and end each style. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
} as const

export type Paint = Readonly<Record<keyof typeof STYLES, (text: string) => string>>

/** Functions that style text. If `hasColor` is false, they return it unchanged. */
export function createPaint(hasColor: boolean): Paint {
  const entries = Object.entries(STYLES).map(([name, [on, off]]) => [name, hasColor ? style(on, off) : String])
  // `entries` has one function per style.
  return Object.fromEntries(entries) as Paint
}

function style(on: number, off: number): (text: string) => string {
  const [open, close] = [`\u001b[${on}m`, `\u001b[${off}m`]
  // The end of a nested style with the same end code also ends the outer style, so the outer style is opened again.
  return (text) => `${open}${text.replaceAll(close, `${close}${open}`)}${close}`
}

interface ProgressLine {
  /** Replaces the current text. */
  show(text: string): void
  /** Removes the line. Can be called twice. */
  clear(): void
}

const BAR_CELLS = 20
const ERASE = '\r\u001b[2K'

/** A temporary line that shows the current step. Without a sink it prints nothing. */
function createProgress(sink: ((text: string) => void) | undefined, terminal: Terminal): ProgressLine {
  let isShown = false
  return {
    show(text) {
      if (sink === undefined) return
      sink(`${ERASE}${cut(text.replace(/\s+/g, ' '), Math.min(terminal.width, 120) - 1)}`)
      isShown = true
    },
    clear() {
      if (isShown) sink?.(ERASE)
      isShown = false
    },
  }
}

/** For example `[########------------] 4/10 reading`, or `4 reading` without a total. */
export function bar(done: number, total: number | undefined, message = ''): string {
  if (total === undefined || !(total > 0)) return `${done} ${message}`.trim()
  const filled = Math.round(Math.min(Math.max(done / total, 0), 1) * BAR_CELLS)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_CELLS - filled)}] ${done}/${total} ${message}`.trim()
}

/** Ends the process if its output cannot be written. EPIPE is not an error: the reader, such as `head`, has ended. */
export function endOnBrokenPipe(error: unknown): never {
  return process.exit(errorCode(error) === 'EPIPE' ? 0 : 3)
}
