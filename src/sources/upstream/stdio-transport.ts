// MCP over the pipes of a process. The whole process group ends with the connection.

import { SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client'
import { createMessageLines, errorInPlaceOf, MAX_MESSAGE_BYTES } from '../../core/message-lines.ts'
import { atMost, withResolvers } from '../../core/waiting.ts'
import { createJoinedWriter } from '../../core/write-together.ts'
import { createAnswerReader } from './answer-reader.ts'
import { type ProcessOptions, type ServerProcess, startProcess } from './process.ts'
import { readInTurns } from './read-in-turns.ts'

interface StdioTransport extends Transport {
  // The SDK treats a transport with these two fields as stdio, and then falls back to `initialize` if the probe gets no
  // answer.
  readonly pid: number | null
  readonly stderr: null
  /** Resolves with how the process ended. */
  readonly ended: Promise<string>
}

export interface StdioTransportOptions extends ProcessOptions {
  /** The process, if it has already been started. */
  readonly begun?: Promise<ServerProcess> | undefined
  /** The maximum length of a message in either direction (default 16 MiB). */
  readonly maxFrameBytes?: number
  /** Called with a problem of the server that its operator should know. */
  onProblem?(reason: string): void
}

const NOT_STARTED = 'The server was not started'
/** How long to wait for the end of the process after its pipe broke. */
const END_WAIT_MS = 1_000
/** Above this number of unsent answers, no output is read. A short message takes far more memory than its bytes. */
const MAX_UNSENT_ANSWERS = 1_000
/** The error code for a message that is too long, in the range of JSON-RPC for errors of an implementation. */
const TOO_LONG = -32_000
/** The longest part of an invalid line that is kept for error texts. */
const MAX_PRINTED_CHARS = 65_536

export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  const { maxFrameBytes = MAX_MESSAGE_BYTES, onProblem, begun, ...processOptions } = options
  const { stderr } = options
  let running = begun
  let server: ServerProcess | undefined
  /**
   * Our answers to requests of the server, as long as they are not written to its pipe. Our calls do not count: some
   * servers read no more calls until we have read their output, so waiting for our calls would block both sides.
   */
  const unsentAnswers = { count: 0, chars: 0 }
  /** Continues to read the output. Set while reading waits until our answers are written. */
  let resumeReading: (() => void) | undefined
  // If a server sends many requests and does not read our answers, its output is not read until it does.
  const isBlocked = () => unsentAnswers.count > MAX_UNSENT_ANSWERS || unsentAnswers.chars > maxFrameBytes
  const { promise: ended, resolve: reportEnd } = withResolvers<string>()

  const reportProblem = (reason: string) => {
    // The reason is written to the stderr buffer, so that it is shown if the server fails.
    stderr.write(Buffer.from(`[toolcrib] ${reason}\n`))
    onProblem?.(reason)
  }
  const read = createAnswerReader()
  const lines = createMessageLines({
    maxBytes: maxFrameBytes,
    onLine(line) {
      const message = read(line)
      if (message !== undefined) return transport.onmessage?.(message)
      // Many servers print to stdout by mistake. The text helps to find the reason when they fail.
      stderr.write(Buffer.from(`${line.slice(-MAX_PRINTED_CHARS)}\n`))
    },
    onOverflow: (bytes) =>
      reportProblem(
        `it has sent ${bytes} bytes without a newline; at most ${maxFrameBytes} are read, the rest of the line is skipped`,
      ),
    onTooLong(long) {
      const words = `its message is ${long.bytes} bytes long; at most ${maxFrameBytes} are read`
      reportProblem(words)
      const error = errorInPlaceOf(long, { code: TOO_LONG, message: words })
      if (error?.for === 'us') transport.onmessage?.(error.message)
      else if (error !== undefined) transport.send(error.message).catch(() => {})
    },
  })

  const writer = createJoinedWriter((text, done) => server?.stdin.write(text, done))
  /** Rejects with the fault, after the end of the process or after `END_WAIT_MS`. */
  const broken = async (fault: string): Promise<never> => {
    // A broken pipe means that the process ends. Once `ended` has resolved, callers report how it ended.
    await atMost(END_WAIT_MS, ended)
    throw new SdkError(SdkErrorCode.ConnectionClosed, fault)
  }

  const countAnswers = (count: number, chars: number) => {
    unsentAnswers.count += count
    unsentAnswers.chars += chars
    if (resumeReading === undefined || isBlocked()) return
    const resume = resumeReading
    resumeReading = undefined
    resume()
  }

  const transport: StdioTransport = {
    ended,
    stderr: null,
    get pid() {
      return server?.pid ?? null
    },
    async start() {
      running ??= startProcess(processOptions)
      server = await running
      const output = readInTurns(server.stdout, {
        take: lines.push,
        isBlocked,
        onFree(resume) {
          resumeReading = resume
        },
      })
      void server.ended.then((how) => {
        output.flush()
        reportEnd(how)
        transport.onclose?.()
      })
    },
    send(message) {
      const text = JSON.stringify(message)
      // A UTF-16 code unit has at most three bytes in UTF-8, so the bytes of most messages need not be counted.
      const bytes = text.length * 3 > maxFrameBytes ? Buffer.byteLength(text) : 0
      if (bytes > maxFrameBytes) {
        const words = `the message to it would be ${bytes} bytes long; at most ${maxFrameBytes} are sent`
        return Promise.reject(new SdkError(SdkErrorCode.SendFailed, words))
      }
      if (server === undefined) return broken(NOT_STARTED)
      if (!server.stdin.writable) return broken('The server takes no more input')
      const isAnswer = !('method' in message)
      if (isAnswer) countAnswers(1, text.length)
      return new Promise((resolve, reject) => {
        writer.post(`${text}\n`, (error) => {
          if (isAnswer) countAnswers(-1, -text.length)
          if (error) return void broken(error.message).catch(reject)
          resolve()
        })
      })
    },
    async close() {
      writer.flush()
      // A process that is still starting is ended as soon as it has started.
      const started = await running?.catch(() => undefined)
      await started?.end()
    },
  }
  return transport
}
