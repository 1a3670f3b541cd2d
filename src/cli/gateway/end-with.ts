// Ends a serving process: after Ctrl-C or SIGTERM or, over stdio, after its client has disconnected.

import { escapeInJson } from '../../core/clean-text.ts'
import { messageOf, onOneLine } from '../../core/text.ts'
import type { Door } from '../../front/doors.ts'
import { endOnBrokenPipe } from '../output/broken-pipe.ts'
import { oneLine, wrap } from '../output/text.ts'

/** The signals that end a serving process, with the exit code. */
export const END_SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 0],
  ['SIGHUP', 0],
] as const

/** Waits for in-flight calls, then stops what was started. The process ends even if this fails. */
type Close = (hurry: AbortSignal) => Promise<unknown>

export function endWith(door: Door, close: Close): void {
  const { end } = endOnSignal(close)
  if (door.left === undefined) return
  // The front door cancels the calls of a client that no longer reads, and then resolves `left`.
  process.stdout.off('error', endOnBrokenPipe)
  void door.left.then(() => end(0))
}

/**
 * Handles signals until `forget` is called. The first signal waits for in-flight calls. The second signal, or the first
 * after the client has disconnected, cancels these calls. The next signal exits at once: the watchdog then ends the
 * servers.
 */
export function endOnSignal(close: Close): { end(exitCode: number): Promise<void>; forget(): void } {
  const hurry = new AbortController()
  let isEnding = false
  let exitCode = 0
  const end = async (code: number) => {
    if (isEnding) return
    isEnding = true
    exitCode = code
    await close(hurry.signal).catch((error) => logLine(messageOf(error)))
    process.exit(exitCode)
  }
  const onSignal = (code: number) => {
    if (!isEnding) return void end(code)
    exitCode = code
    if (hurry.signal.aborted) process.exit(exitCode)
    hurry.abort()
  }
  const listeners = END_SIGNALS.map(([signal, code]) => [signal, () => onSignal(code)] as const)
  for (const [signal, listener] of listeners) process.on(signal, listener)
  return {
    end,
    forget() {
      for (const [signal, listener] of listeners) process.off(signal, listener)
    },
  }
}

/** Prints the calls that the shutdown waits for. */
export const endMessages = { say: logLine, hint: 'a second signal ends the wait' }

/** `about` is the server that the line is about. */
type CopyLine = (message: string, about?: string) => void

let copyLine: CopyLine = () => {}

/** Also passes the lines of `logLine` to the log file: a client may not show the stderr of the gateway. */
export function copyLogLines(to: CopyLine): void {
  copyLine = to
}

/** Prints on stderr, because stdout may carry the protocol. */
export function logLine(message: string, about?: string): void {
  const line = onOneLine(`toolcrib: ${oneLine(message)}`)
  const { isTTY, columns = 80 } = process.stderr
  // A person reads a terminal; programs read a pipe line by line.
  process.stderr.write(`${isTTY ? wrap(line, columns).join('\n') : line}\n`)
  copyLine(message, about)
}

/** Prints a record as one line of JSON on stderr, which may be a terminal. `redact` removes secrets from it. */
export function logRecord(record: object, redact: (text: string) => string = (text) => text): void {
  // Escaped first: `redact` also removes terminal sequences and changes line ends, which would damage the JSON.
  process.stderr.write(`${redact(escapeInJson(JSON.stringify(record)))}\n`)
}
