// The log file of all gateways of this user, with the output of their servers, and the lines of a gateway on stderr.

import { join } from 'node:path'
import { escapeInJson } from '../../core/clean-text.ts'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'
import { cutLongText, onOneLine } from '../../core/text.ts'
import { createAppendLog } from '../../storage/append-log.ts'
import { oneLine, plain, wrap } from '../output/text.ts'

export interface LogRecord {
  readonly time: string
  /** The process id of the gateway. */
  readonly pid: number
  /** The name of the server that printed the line, or `gateway`. */
  readonly source: string
  /** The server that a line of the gateway is about. */
  readonly about?: string
  readonly text: string
}

interface GatewayLog extends AsyncDisposable {
  /** Lines that a server printed. Secrets must already be removed. */
  output(server: string, lines: readonly string[]): void
  /** A line of the gateway itself. */
  own(text: string, about?: string): void
}

export const GATEWAY_SOURCE = 'gateway'
/** The maximum size of a file. There are at most two files: the current one and `<file>.1`. */
const MAX_BYTES = 5 * 1024 * 1024
const MAX_CHARS = 4_000
/** If a server prints faster than the disk can write, lines are lost. */
const MAX_QUEUED_BYTES = 5 * 1024 * 1024

export function gatewayLogFile(stateDir: string): string {
  return join(stateDir, 'gateway.jsonl')
}

/** `redact` removes the secrets of servers from the lines of the gateway. A failed write is ignored. */
export function openGatewayLog(stateDir: string, redact: (text: string) => string): GatewayLog {
  const log = createAppendLog({ file: gatewayLogFile(stateDir), maxBytes: MAX_BYTES, maxQueuedBytes: MAX_QUEUED_BYTES })
  const recordOf = (source: string, text: string, about?: string): LogRecord => ({
    time: new Date().toISOString(),
    pid: process.pid,
    source,
    ...(about === undefined ? {} : { about }),
    text: cutLongText(text, MAX_CHARS),
  })
  return {
    output(server, lines) {
      void log.append(...lines.map((line) => recordOf(server, plain(line).replaceAll('\n', ' '))))
    },
    own(text, about) {
      void log.append(recordOf(GATEWAY_SOURCE, oneLine(redact(text)), about))
    },
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  }
}

/** Writes to the log file why a gateway could not start, because a client can hide the stderr of the gateway. */
export async function logFailedStart(stateDir: string, reason: string): Promise<void> {
  await using log = openGatewayLog(stateDir, (text) => text)
  log.own(`could not serve: ${reason}`)
}

/** Undefined if the line is not a record of this log, for example because a crash has cut it. */
export function readLogRecord(line: string): LogRecord | undefined {
  const value = parseJson(line)
  if (!isRecord(value)) return undefined
  const { time, pid, source, about, text } = value
  if (typeof time !== 'string' || typeof pid !== 'number' || typeof source !== 'string') return undefined
  if (typeof text !== 'string') return undefined
  return { time, pid, source, ...(typeof about === 'string' ? { about } : {}), text }
}

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
