// The one way to the person or the script: results on stdout, everything else on stderr.

import { createPaint, type Paint } from './paint.ts'
import { createProgress, type Progress } from './progress.ts'
import type { Terminal } from './terminal.ts'

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
  /** The answer: as one JSON document, or as lines for people. */
  show(document: unknown, lines: () => readonly string[]): void
  /** Lines of the answer for people; nothing where it is to be JSON. */
  print(...lines: readonly string[]): void
  /** Beside the answer, on stderr. */
  note(text: string): void
  /** What only those who asked for more want to read. */
  detail(text: string): void
  /** What went wrong, and what to do. */
  complain(what: string, next?: string): void
  /** For work that takes a while: something to look at on a terminal, nothing elsewhere. */
  progress(): Progress
}

export interface Sinks {
  out(text: string): void
  err(text: string): void
}

const STANDARD: Sinks = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}

export function createOutput(flags: OutputFlags, terminal: Terminal, sinks: Sinks = STANDARD): Output {
  const { json: isJson = false, quiet: isQuiet = false, verbose: isVerbose = false } = flags
  const paint = createPaint(terminal.hasColor)
  const errPaint = () => createPaint(terminal.hasErrColor)
  const printAll = (lines: readonly string[]) => {
    if (lines.length > 0) sinks.out(`${lines.join('\n')}\n`)
  }
  return {
    terminal,
    isJson,
    isQuiet,
    isVerbose,
    width: terminal.width,
    paint,
    show(document, lines) {
      if (isJson) sinks.out(`${JSON.stringify(document, null, 2)}\n`)
      else printAll(lines())
    },
    print: (...lines) => {
      if (!isJson) printAll(lines)
    },
    note(text) {
      if (!isQuiet) sinks.err(`${errPaint().dim(text)}\n`)
    },
    detail(text) {
      if (isVerbose) sinks.err(`${errPaint().dim(text)}\n`)
    },
    complain(what, next = '') {
      const { red, bold } = errPaint()
      sinks.err(`${red('Error:')} ${what}\n${next === '' ? '' : `${bold('Next:')}  ${next}\n`}`)
    },
    progress: () => createProgress(terminal.isErr && !isQuiet ? sinks.err : undefined, terminal),
  }
}
