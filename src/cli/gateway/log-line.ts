// Prints the lines that a serving process logs on stderr, and copies them to the log file.

import { escapeInJson } from '../../core/clean-text.ts'
import { onOneLine } from '../../core/text.ts'
import { oneLine, wrap } from '../output/text.ts'

/** `about` is the name of the server that the line is about. */
type CopyLine = (message: string, about?: string) => void

let copyLine: CopyLine = () => {}

/** Passes each line of `logLine` also to `to`, which writes the log file: a client may hide stderr. */
export function copyLogLines(to: CopyLine): void {
  copyLine = to
}

/** Prints a line on stderr, because stdout may carry the protocol. */
export function logLine(message: string, about?: string): void {
  const line = onOneLine(`toolcrib: ${oneLine(message)}`)
  const { isTTY, columns } = process.stderr
  // A person reads a terminal; programs read a pipe line by line.
  process.stderr.write(`${isTTY ? wrap(line, columns || 80).join('\n') : line}\n`)
  copyLine(message, about)
}

/** Prints a record as one line of JSON on stderr, which may be a terminal. `redact` removes secrets from it. */
export function logRecord(record: object, redact: (text: string) => string = (text) => text): void {
  // Escaped first: `redact` also removes terminal sequences and changes line ends, which would damage the JSON.
  process.stderr.write(`${redact(escapeInJson(JSON.stringify(record)))}\n`)
}
